"""Shift roster. Compiled from blueprint.yaml; run `envscaler build shift_roster` after changing it there.

Rosters the people of a port on shifts with skill minimums, eleven hours of rest, weekly hours, swaps that both
sides accept and open places that anybody suitable may take.
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
    "Between two shifts everybody has eleven hours of rest.",
    "Nobody works more hours a week than the contract says.",
    "Nobody has more night shifts a week than they take on.",
    "A shift has no more people than places.",
    "Enough places of a shift are kept for people with the skill of the station.",
    "Nobody is on duty while absent.",
    "Nobody is on duty in a cancelled shift.",
    "A station has one shift beginning at a time.",
    "A duty is offered or wanted in one pending swap at a time.",
    "A pending swap is between two people who still have the duties.",
    "The absences of one person do not overlap.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_shift",
    "assign_worker",
    "take_open_place",
    "publish_shift",
    "release_worker",
    "cancel_shift",
    "ask_swap",
    "accept_swap",
    "carry_out_swap",
    "decline_swap",
    "report_absence",
    "end_absence",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "stations": ("name",),
    "workers": ("name",),
    "shifts": (),
    "duties": (),
    "swaps": (),
    "absences": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("absences", "worker_id"),
    ("duties", "shift_id"),
    ("duties", "status"),
    ("duties", "worker_id"),
    ("shifts", "station_id"),
    ("swaps", "gives_id"),
    ("swaps", "wants_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Station(TypedDict):
    id: str
    name: str
    skill: Literal["crane", "dispatch", "first_aid", "forklift"]


class Worker(TypedDict):
    id: str
    name: str
    skills: list[Literal["crane", "dispatch", "first_aid", "forklift"]]
    weekly_hours: int
    nights_a_week: int


class Shift(TypedDict):
    id: str
    station_id: str
    starts: str
    length: int
    places: int
    skilled: int
    status: Literal["draft", "published", "cancelled"]


class Duty(TypedDict):
    id: str
    shift_id: str
    worker_id: str
    status: Literal["on", "off"]


class Swap(TypedDict):
    id: str
    asker_id: str
    other_id: str
    gives_id: str
    wants_id: str
    status: Literal["asked", "agreed", "declined", "void", "done"]


class Absence(TypedDict):
    id: str
    worker_id: str
    starts: str
    ends: str
    why: Literal["sick", "leave", "training"]


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


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class ShiftRoster:
    """Rosters the people of a port on shifts with skill minimums, eleven hours of rest, weekly hours,
    swaps that both sides accept and open places that anybody suitable may take.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.workers: dict[str, Worker] = _copied(config.get("workers", {}))
        self.shifts: dict[str, Shift] = _copied(config.get("shifts", {}))
        self.duties: dict[str, Duty] = _copied(config.get("duties", {}))
        self.swaps: dict[str, Swap] = _copied(config.get("swaps", {}))
        self.absences: dict[str, Absence] = _copied(config.get("absences", {}))
        self.now: str = config.get("now", "2026-06-10T07:15")
        self.counters: dict[str, int] = {
            "station": len(self.stations),
            "worker": len(self.workers),
            "shift": len(self.shifts),
            "duty": len(self.duties),
            "swap": len(self.swaps),
            "absence": len(self.absences),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._shifts_by_station: dict[Any, dict[str, Shift]] = {}
        self._duties_by_shift: dict[Any, dict[str, Duty]] = {}
        self._duties_by_shift_status: dict[Any, dict[str, Duty]] = {}
        self._duties_by_worker_status: dict[Any, dict[str, Duty]] = {}
        self._swaps_by_gives: dict[Any, dict[str, Swap]] = {}
        self._swaps_by_wants: dict[Any, dict[str, Swap]] = {}
        self._absences_by_worker: dict[Any, dict[str, Absence]] = {}
        for shift in self.shifts.values():
            self._link("shifts", shift)
        for duty in self.duties.values():
            self._link("duties", duty)
        for swap in self.swaps.values():
            self._link("swaps", swap)
        for absence in self.absences.values():
            self._link("absences", absence)

    def who_could(self, shift_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """People who could go on a shift by rest, hours, nights, absences and skills, those with the fewest hours in
        that week first.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}} or {"success": False, "error": why
                not}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        found = [
            w
            for w in self.workers.values()
            if self._shift_filled(shift) < shift["places"]
            and self._can_go(w, shift, None, None)
        ]
        found.sort(key=lambda w: (self._hours_in(w, self._week(shift["starts"]), None), w["name"], _age(w)))
        return _found(
            {
                "total": len(found),
                "workers": [
                    {
                        "id": w["id"],
                        "name": w["name"],
                        "has_skill": self.stations[shift["station_id"]]["skill"] in w["skills"],
                        "hours_that_week": self._hours_in(w, self._week(shift["starts"]), None),
                        "weekly_hours": w["weekly_hours"],
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def open_places(
        self,
        station_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Published shifts ahead with free places, the next one first.

        Args:
            station_id (str, optional): Station whose shifts are listed; an id such as STATION-00001. If left out,
                the shifts of all stations are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}} or {"success": False, "error": why
                not}
        """
        station = self.stations.get(station_id) if station_id is not None else None
        if station_id is not None and station is None:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            s
            for s in self.shifts.values()
            if (s["status"] == "published" and s["starts"] > self.now and self._shift_filled(s) < s["places"])
            and (station_id is None or s["station_id"] == station_id)
        ]
        found.sort(key=lambda s: (s["starts"], s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "shifts": [
                    {
                        "id": s["id"],
                        "station": self.stations[s["station_id"]]["name"],
                        "starts": s["starts"],
                        "ends": self._shift_ends(s),
                        "free": s["places"] - self._shift_filled(s),
                        "kept_for_skill": max(0, s["skilled"] - self._shift_skilled_on(s)),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def hours_of(self, worker_id: str, on: Date) -> Result:
        """The hours and nights of somebody in the week of a day.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            on (str): Any day of the week that is looked at, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {monday, hours, left, nights}} or {"success": False, "error": why not}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        monday = _plus_days(on, -(_weekday(on) - 1))
        return _found(
            {
                "monday": monday,
                "hours": self._hours_in(worker, monday, None),
                "left": worker["weekly_hours"] - self._hours_in(worker, monday, None),
                "nights": self._nights_in(worker, monday, None),
            }
        )

    def pending_swaps(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Swaps that wait for an answer or for the planner, and whether the rules would allow them.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swaps": records}} or {"success": False, "error": why
                not}
        """
        found = [x for x in self.swaps.values() if self._pending(x)]
        found.sort(key=lambda x: (self.workers[x["asker_id"]]["name"], x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "swaps": [
                    {
                        "id": x["id"],
                        "asker": self.workers[x["asker_id"]]["name"],
                        "other": self.workers[x["other_id"]]["name"],
                        "gives": self.shifts[self.duties[x["gives_id"]]["shift_id"]]["starts"],
                        "wants": self.shifts[self.duties[x["wants_id"]]["shift_id"]]["starts"],
                        "status": x["status"],
                        "allowed": self._works(x),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_stations(
        self,
        name: Text | None = None,
        skill: Literal["crane", "dispatch", "first_aid", "forklift"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stations whose name contains this text.
            skill (str, optional): Only stations with this skill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (name is None or name.casefold() in station["name"].casefold())
            and (skill is None or station["skill"] == skill)
        ]
        return _found({"total": len(found), "stations": [{**station} for station in _page(found, offset)]})

    def list_workers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the workers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only workers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}}
        """
        found = [
            worker
            for worker in self.workers.values()
            if (name is None or name.casefold() in worker["name"].casefold())
        ]
        return _found(
            {"total": len(found), "workers": [self._show_worker(worker) for worker in _page(found, offset)]}
        )

    def list_shifts(
        self,
        station_id: str | None = None,
        status: Literal["draft", "published", "cancelled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shifts, oldest first, all of them or only some.

        Args:
            station_id (str, optional): Only shifts of this station.
            status (str, optional): Only shifts with this status.
            starts_from (str, optional): Only shifts whose `starts` is on this day or later.
            starts_to (str, optional): Only shifts whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}}
        """
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            shift
            for shift in self.shifts.values()
            if (station_id is None or shift["station_id"] == station_id)
            and (status is None or shift["status"] == status)
            and (starts_from is None or shift["starts"][:10] >= starts_from)
            and (starts_to is None or shift["starts"][:10] <= starts_to)
        ]
        shown = [self._show_shift(shift) for shift in _page(found, offset)]
        return _found({"total": len(found), "shifts": shown}, self._names_of_shifts(shown))

    def list_duties(
        self,
        shift_id: str | None = None,
        worker_id: str | None = None,
        status: Literal["on", "off"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the duties, oldest first, all of them or only some.

        Args:
            shift_id (str, optional): Only duties of this shift.
            worker_id (str, optional): Only duties of this worker.
            status (str, optional): Only duties with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "duties": records}}
        """
        if shift_id is not None and shift_id not in self.shifts:
            return _refused(f"There is no shift {shift_id!r}.")
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        found = [
            duty
            for duty in self.duties.values()
            if (shift_id is None or duty["shift_id"] == shift_id)
            and (worker_id is None or duty["worker_id"] == worker_id)
            and (status is None or duty["status"] == status)
        ]
        shown = [{**duty} for duty in _page(found, offset)]
        return _found({"total": len(found), "duties": shown}, self._names_of_duties(shown))

    def list_swaps(
        self,
        asker_id: str | None = None,
        other_id: str | None = None,
        gives_id: str | None = None,
        wants_id: str | None = None,
        status: Literal["asked", "agreed", "declined", "void", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the swaps, oldest first, all of them or only some.

        Args:
            asker_id (str, optional): Only swaps whose asker is this worker.
            other_id (str, optional): Only swaps whose other is this worker.
            gives_id (str, optional): Only swaps whose gives is this duty.
            wants_id (str, optional): Only swaps whose wants is this duty.
            status (str, optional): Only swaps with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swaps": records}}
        """
        if asker_id is not None and asker_id not in self.workers:
            return _refused(f"There is no worker {asker_id!r}.")
        if other_id is not None and other_id not in self.workers:
            return _refused(f"There is no worker {other_id!r}.")
        if gives_id is not None and gives_id not in self.duties:
            return _refused(f"There is no duty {gives_id!r}.")
        if wants_id is not None and wants_id not in self.duties:
            return _refused(f"There is no duty {wants_id!r}.")
        found = [
            swap
            for swap in self.swaps.values()
            if (asker_id is None or swap["asker_id"] == asker_id)
            and (other_id is None or swap["other_id"] == other_id)
            and (gives_id is None or swap["gives_id"] == gives_id)
            and (wants_id is None or swap["wants_id"] == wants_id)
            and (status is None or swap["status"] == status)
        ]
        shown = [{**swap} for swap in _page(found, offset)]
        return _found({"total": len(found), "swaps": shown}, self._names_of_swaps(shown))

    def list_absences(
        self,
        worker_id: str | None = None,
        why: Literal["sick", "leave", "training"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the absences, oldest first, all of them or only some.

        Args:
            worker_id (str, optional): Only absences of this worker.
            why (str, optional): Only absences whose `why` is this.
            starts_from (str, optional): Only absences whose `starts` is on this day or later.
            starts_to (str, optional): Only absences whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "absences": records}}
        """
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        found = [
            absence
            for absence in self.absences.values()
            if (worker_id is None or absence["worker_id"] == worker_id)
            and (why is None or absence["why"] == why)
            and (starts_from is None or absence["starts"] >= starts_from)
            and (starts_to is None or absence["starts"] <= starts_to)
        ]
        shown = [{**absence} for absence in _page(found, offset)]
        return _found({"total": len(found), "absences": shown}, self._names_of_absences(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_shift(
        self,
        station_id: str,
        starts: DateTime,
        length: Annotated[int, {"minimum": 4, "maximum": 12}],
        places: Annotated[int, {"minimum": 1, "maximum": 5}],
        skilled: Annotated[int, {"minimum": 0, "maximum": 3}],
    ) -> Result:
        """Plan a shift at a station as a draft.

        Args:
            station_id (str): Id of the station, such as STATION-00001.
            starts (str): When the shift begins, later than now, as YYYY-MM-DDTHH:MM.
            length (int): How long the shift lasts in hours, from 4 to 12.
            places (int): How many people the shift takes, from 1 to 5.
            skilled (int): How many of these people must have the skill of the station, from 0 to 3.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if starts <= self.now:
            return _refused(f"A shift is planned ahead, not for {starts}.")
        if skilled > places:
            return _refused(f"{skilled} skilled people need at least as many places.")
        if any(each["starts"] == starts for each in self._shifts_by_station.get(station_id, {}).values()):
            return _refused(f"{station['name']} has a shift beginning at {starts} already.")
        self._journal = []
        shift: Shift = {
            "id": self._new_id("shift", "SHIFT", self.shifts),
            "station_id": station_id,
            "starts": starts,
            "length": length,
            "places": places,
            "skilled": skilled,
            "status": "draft",
        }
        self._add("shifts", shift)
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(shift):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: plan a shift of {length} hours at {station['name']} on {starts} (new: shift {shift['id']})."
            ),
            "data": {"shift_id": shift["id"], **self._changes()},
        }

    def assign_worker(self, shift_id: str, worker_id: str) -> Result:
        """Put somebody on a draft shift.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            worker_id (str): Id of the worker, such as WORKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        if shift["status"] != "draft":
            return _refused(
                f"The shift is {shift['status']}; free places of published shifts are taken as open ones."
            )
        if shift["starts"] <= self.now:
            return _refused(f"The shift began at {shift['starts']}.")
        if self._shift_filled(shift) >= shift["places"]:
            return _refused(f"All {shift['places']} places are filled.")
        if (
            self.stations[shift["station_id"]]["skill"] not in worker["skills"]
            and self._unskilled(shift, None) >= shift["places"] - shift["skilled"]
        ):
            return _refused(
                f"The free places are kept for people with {self.stations[shift['station_id']]['skill']}."
            )
        off = self._away(worker, shift)
        if off is not None:
            return _refused(f"{worker['name']} is absent from {off['starts']} to {off['ends']}.")
        other = self._clash(worker, shift, None)
        if other is not None:
            return _refused(
                f"{worker['name']} is on duty at "
                f"{self.stations[self.shifts[other['shift_id']]['station_id']]['name']} from "
                f"{self.shifts[other['shift_id']]['starts']} to "
                f"{self._shift_ends(self.shifts[other['shift_id']])}; eleven hours of rest must lie between."
            )
        if self._hours_in(worker, self._week(shift["starts"]), None) + shift["length"] > worker["weekly_hours"]:
            return _refused(
                f"{worker['name']} has {self._hours_in(worker, self._week(shift['starts']), None)} of "
                f"{worker['weekly_hours']} hours in that week already."
            )
        if (
            self._shift_night(shift)
            and self._nights_in(worker, self._week(shift["starts"]), None) >= worker["nights_a_week"]
        ):
            return _refused(f"{worker['name']} has {worker['nights_a_week']} night shifts in that week already.")
        self._journal = []
        duty: Duty = {
            "id": self._new_id("duty", "DUTY", self.duties),
            "shift_id": shift_id,
            "worker_id": worker_id,
            "status": "on",
        }
        self._add("duties", duty)
        if self._breaks_rule_1(duty):
            return self._take_back(RULES[0])
        for one_duty in _distinct([duty, *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values()]):
            if self._breaks_rule_2(one_duty):
                return self._take_back(RULES[1])
        for one_duty in _distinct([duty, *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values()]):
            if self._breaks_rule_3(one_duty):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(duty):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(duty):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: put {worker['name']} on the shift at {self.stations[shift['station_id']]['name']} on "
                f"{shift['starts']} (new: duty {duty['id']})."
            ),
            "data": {"duty_id": duty["id"], **self._changes()},
        }

    def take_open_place(self, shift_id: str, worker_id: str) -> Result:
        """Let somebody take a free place of a published shift.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            worker_id (str): Id of the worker, such as WORKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        if shift["status"] != "published":
            return _refused(f"The shift is {shift['status']}; only published shifts have open places.")
        if shift["starts"] <= self.now:
            return _refused(f"The shift began at {shift['starts']}.")
        if self._shift_filled(shift) >= shift["places"]:
            return _refused(f"All {shift['places']} places are filled.")
        if (
            self.stations[shift["station_id"]]["skill"] not in worker["skills"]
            and self._unskilled(shift, None) >= shift["places"] - shift["skilled"]
        ):
            return _refused(
                f"The free places are kept for people with {self.stations[shift['station_id']]['skill']}."
            )
        off = self._away(worker, shift)
        if off is not None:
            return _refused(f"{worker['name']} is absent from {off['starts']} to {off['ends']}.")
        other = self._clash(worker, shift, None)
        if other is not None:
            return _refused(
                f"{worker['name']} is on duty at "
                f"{self.stations[self.shifts[other['shift_id']]['station_id']]['name']} from "
                f"{self.shifts[other['shift_id']]['starts']} to "
                f"{self._shift_ends(self.shifts[other['shift_id']])}; eleven hours of rest must lie between."
            )
        if self._hours_in(worker, self._week(shift["starts"]), None) + shift["length"] > worker["weekly_hours"]:
            return _refused(
                f"{worker['name']} has {self._hours_in(worker, self._week(shift['starts']), None)} of "
                f"{worker['weekly_hours']} hours in that week already."
            )
        if (
            self._shift_night(shift)
            and self._nights_in(worker, self._week(shift["starts"]), None) >= worker["nights_a_week"]
        ):
            return _refused(f"{worker['name']} has {worker['nights_a_week']} night shifts in that week already.")
        self._journal = []
        duty: Duty = {
            "id": self._new_id("duty", "DUTY", self.duties),
            "shift_id": shift_id,
            "worker_id": worker_id,
            "status": "on",
        }
        self._add("duties", duty)
        if self._breaks_rule_1(duty):
            return self._take_back(RULES[0])
        for one_duty in _distinct([duty, *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values()]):
            if self._breaks_rule_2(one_duty):
                return self._take_back(RULES[1])
        for one_duty in _distinct([duty, *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values()]):
            if self._breaks_rule_3(one_duty):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(duty):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(duty):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: let {worker['name']} take the open place at {self.stations[shift['station_id']]['name']} "
                f"on {shift['starts']} (new: duty {duty['id']})."
            ),
            "data": {"duty_id": duty["id"], **self._changes()},
        }

    def publish_shift(self, shift_id: str) -> Result:
        """Publish a draft shift that has its skilled people; what is free of it becomes open places.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] != "draft":
            return _refused(f"The shift is {shift['status']}.")
        if shift["starts"] <= self.now:
            return _refused(f"The shift began at {shift['starts']}.")
        if self._shift_filled(shift) <= 0:
            return _refused("Nobody is on this shift.")
        if self._shift_skilled_on(shift) < shift["skilled"]:
            return _refused(
                f"{self._shift_skilled_on(shift)} of {shift['skilled']} people with "
                f"{self.stations[shift['station_id']]['skill']} are on the shift."
            )
        self._journal = []
        self._put("shifts", shift, "status", "published")
        for one_duty in _distinct(self._duties_by_shift_status.get((shift["id"], "on"), {}).values()):
            if self._breaks_rule_7(one_duty):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: publish the shift at {self.stations[shift['station_id']]['name']} on {shift['starts']}."
            ),
            "data": self._changes(),
        }

    def release_worker(self, duty_id: str) -> Result:
        """Take somebody off a shift.

        Args:
            duty_id (str): Id of the duty, such as DUTY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        duty = self.duties.get(duty_id)
        if duty is None:
            return _refused(f"There is no duty {duty_id!r}.")
        if duty["status"] != "on":
            return _refused(f"{self.workers[duty['worker_id']]['name']} is off this shift already.")
        if self.shifts[duty["shift_id"]]["starts"] <= self.now:
            return _refused(f"The shift began at {self.shifts[duty['shift_id']]['starts']}.")
        if any(
            self._pending(x)
            for x in _distinct(
                [*self._swaps_by_gives.get(duty_id, {}).values(), *self._swaps_by_wants.get(duty_id, {}).values()]
            )
        ):
            return _refused("The duty is part of a pending swap; decline that first.")
        self._journal = []
        self._put("duties", duty, "status", "off")
        if self._breaks_rule_1(duty):
            return self._take_back(RULES[0])
        for one_duty in _distinct([duty, *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values()]):
            if self._breaks_rule_2(one_duty):
                return self._take_back(RULES[1])
        for one_duty in _distinct([duty, *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values()]):
            if self._breaks_rule_3(one_duty):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(duty):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(duty):
            return self._take_back(RULES[6])
        for one_swap in _distinct(
            [*self._swaps_by_gives.get(duty["id"], {}).values(), *self._swaps_by_wants.get(duty["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_swap):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: take {self.workers[duty['worker_id']]['name']} off the shift at "
                f"{self.stations[self.shifts[duty['shift_id']]['station_id']]['name']} on "
                f"{self.shifts[duty['shift_id']]['starts']}."
            ),
            "data": self._changes(),
        }

    def cancel_shift(self, shift_id: str) -> Result:
        """Cancel a shift; everybody on it is off and swaps with it are void.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] == "cancelled":
            return _refused("The shift is cancelled already.")
        if shift["starts"] <= self.now:
            return _refused(f"The shift began at {shift['starts']}.")
        self._journal = []
        changed_swaps: list[Any] = []
        changed_duties: list[Any] = []
        for x in [
            x
            for x in sorted(
                _distinct(
                    [
                        *[
                            x
                            for _duty in self._duties_by_shift.get(shift_id, {}).values()
                            for x in self._swaps_by_gives.get(_duty["id"], {}).values()
                        ],
                        *[
                            x
                            for _duty in self._duties_by_shift.get(shift_id, {}).values()
                            for x in self._swaps_by_wants.get(_duty["id"], {}).values()
                        ],
                    ]
                ),
                key=_age,
            )
            if self._pending(x)
        ]:
            if x["status"] not in ("asked", "agreed", "void"):
                return self._take_back(f"Swap {x['id']} cannot go from {x['status']} to void.")
            changed_swaps.append(x)
            self._put("swaps", x, "status", "void")
        for d in sorted(self._duties_by_shift_status.get((shift_id, "on"), {}).values(), key=_age):
            changed_duties.append(d)
            self._put("duties", d, "status", "off")
        self._put("shifts", shift, "status", "cancelled")
        for one_duty in _distinct(changed_duties):
            if self._breaks_rule_1(one_duty):
                return self._take_back(RULES[0])
        for one_duty in _distinct(
            [
                *changed_duties,
                *[
                    user
                    for one in [self.workers[one["worker_id"]] for one in changed_duties]
                    for user in self._duties_by_worker_status.get((one["id"], "on"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_duty):
                return self._take_back(RULES[1])
        for one_duty in _distinct(
            [
                *changed_duties,
                *[
                    user
                    for one in [self.workers[one["worker_id"]] for one in changed_duties]
                    for user in self._duties_by_worker_status.get((one["id"], "on"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_duty):
                return self._take_back(RULES[2])
        for one_shift in _distinct([self.shifts[one["shift_id"]] for one in changed_duties]):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct([self.shifts[one["shift_id"]] for one in changed_duties]):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_duty in _distinct(changed_duties):
            if self._breaks_rule_6(one_duty):
                return self._take_back(RULES[5])
        for one_duty in _distinct(
            [*changed_duties, *self._duties_by_shift_status.get((shift["id"], "on"), {}).values()]
        ):
            if self._breaks_rule_7(one_duty):
                return self._take_back(RULES[6])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_x(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_x_again(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_x_again_again(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_y(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(
            [
                *changed_swaps,
                *[user for one in changed_duties for user in self._swaps_by_gives.get(one["id"], {}).values()],
                *[user for one in changed_duties for user in self._swaps_by_wants.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_10(one_swap):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: cancel the shift at {self.stations[shift['station_id']]['name']} on {shift['starts']}."
            ),
            "data": self._changes(),
        }

    def ask_swap(self, gives_id: str, wants_id: str) -> Result:
        """Ask somebody to swap one duty for another.

        Args:
            gives_id (str): Duty that the person who asks would give away; an id such as DUTY-00001.
            wants_id (str): Duty of the other person that would be taken in return; an id such as DUTY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        gives = self.duties.get(gives_id)
        if gives is None:
            return _refused(f"There is no duty {gives_id!r}.")
        wants = self.duties.get(wants_id)
        if wants is None:
            return _refused(f"There is no duty {wants_id!r}.")
        if gives["status"] != "on" or wants["status"] != "on":
            return _refused("Both people must be on duty in the shifts that are swapped.")
        if gives["worker_id"] == wants["worker_id"]:
            return _refused(f"{self.workers[gives['worker_id']]['name']} cannot swap alone.")
        if gives["shift_id"] == wants["shift_id"]:
            return _refused("Both are on the same shift.")
        if (
            self.shifts[gives["shift_id"]]["starts"] <= self.now
            or self.shifts[wants["shift_id"]]["starts"] <= self.now
        ):
            return _refused("Only shifts ahead can be swapped.")
        if any(
            self._pending(x)
            for x in _distinct(
                [
                    *[x for key in [gives_id, wants_id] for x in self._swaps_by_gives.get(key, {}).values()],
                    *[x for key in [gives_id, wants_id] for x in self._swaps_by_wants.get(key, {}).values()],
                ]
            )
        ):
            return _refused("One of the duties is part of another pending swap.")
        self._journal = []
        swap: Swap = {
            "id": self._new_id("swap", "SWAP", self.swaps),
            "asker_id": gives["worker_id"],
            "other_id": wants["worker_id"],
            "gives_id": gives_id,
            "wants_id": wants_id,
            "status": "asked",
        }
        self._add("swaps", swap)
        if self._breaks_rule_9_x(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_y(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(swap):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: ask {self.workers[wants['worker_id']]['name']} to swap with "
                f"{self.workers[gives['worker_id']]['name']} (new: swap {swap['id']})."
            ),
            "data": {"swap_id": swap["id"], **self._changes()},
        }

    def accept_swap(self, swap_id: str) -> Result:
        """Note that the person asked accepts the swap; the planner still has to carry it out.

        Args:
            swap_id (str): Id of the swap, such as SWAP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swap = self.swaps.get(swap_id)
        if swap is None:
            return _refused(f"There is no swap {swap_id!r}.")
        if swap["status"] != "asked":
            return _refused(
                f"The swap of {self.workers[swap['asker_id']]['name']} with "
                f"{self.workers[swap['other_id']]['name']} is {swap['status']}."
            )
        self._journal = []
        self._put("swaps", swap, "status", "agreed")
        if self._breaks_rule_9_x(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_y(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(swap):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: accept the swap of {self.workers[swap['asker_id']]['name']} as "
                f"{self.workers[swap['other_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def carry_out_swap(self, swap_id: str) -> Result:
        """Carry out a swap on which both agree, if rest, hours, nights and skills allow it.

        Args:
            swap_id (str): Id of the swap, such as SWAP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swap = self.swaps.get(swap_id)
        if swap is None:
            return _refused(f"There is no swap {swap_id!r}.")
        if swap["status"] != "agreed":
            return _refused(
                f"The swap of {self.workers[swap['asker_id']]['name']} with "
                f"{self.workers[swap['other_id']]['name']} is {swap['status']}."
            )
        if (
            self.shifts[self.duties[swap["gives_id"]]["shift_id"]]["starts"] <= self.now
            or self.shifts[self.duties[swap["wants_id"]]["shift_id"]]["starts"] <= self.now
        ):
            return _refused("One of the shifts has begun.")
        if not self._can_go(
            self.workers[swap["asker_id"]],
            self.shifts[self.duties[swap["wants_id"]]["shift_id"]],
            self.duties[swap["gives_id"]],
            self.duties[swap["wants_id"]],
        ):
            return _refused(
                f"{self.workers[swap['asker_id']]['name']} cannot take that shift because of rest, hours, nights, "
                "absence or skill."
            )
        if not self._can_go(
            self.workers[swap["other_id"]],
            self.shifts[self.duties[swap["gives_id"]]["shift_id"]],
            self.duties[swap["wants_id"]],
            self.duties[swap["gives_id"]],
        ):
            return _refused(
                f"{self.workers[swap['other_id']]['name']} cannot take that shift because of rest, hours, nights, "
                "absence or skill."
            )
        self._journal = []
        self._put("swaps", swap, "status", "done")
        duty = self.duties[swap["gives_id"]]
        former_worker_id = duty["worker_id"]
        self._put("duties", duty, "worker_id", swap["other_id"])
        its_duty = self.duties[swap["wants_id"]]
        former_worker_id_2 = its_duty["worker_id"]
        self._put("duties", its_duty, "worker_id", swap["asker_id"])
        if self._breaks_rule_1(duty):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(its_duty):
            return self._take_back(RULES[0])
        for one_duty in _distinct(
            [
                duty,
                its_duty,
                *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values(),
                *self._duties_by_worker_status.get((former_worker_id, "on"), {}).values(),
                *self._duties_by_worker_status.get((its_duty["worker_id"], "on"), {}).values(),
                *self._duties_by_worker_status.get((former_worker_id_2, "on"), {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_duty):
                return self._take_back(RULES[1])
        for one_duty in _distinct(
            [
                duty,
                its_duty,
                *self._duties_by_worker_status.get((duty["worker_id"], "on"), {}).values(),
                *self._duties_by_worker_status.get((former_worker_id, "on"), {}).values(),
                *self._duties_by_worker_status.get((its_duty["worker_id"], "on"), {}).values(),
                *self._duties_by_worker_status.get((former_worker_id_2, "on"), {}).values(),
            ]
        ):
            if self._breaks_rule_3(one_duty):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(self.shifts[duty["shift_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(self.shifts[its_duty["shift_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(duty):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(its_duty):
            return self._take_back(RULES[5])
        if self._breaks_rule_9_x(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_y(swap):
            return self._take_back(RULES[8])
        for one_swap in _distinct(
            [
                swap,
                *self._swaps_by_gives.get(duty["id"], {}).values(),
                *self._swaps_by_wants.get(duty["id"], {}).values(),
                *self._swaps_by_gives.get(its_duty["id"], {}).values(),
                *self._swaps_by_wants.get(its_duty["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_swap):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: carry out the swap of {self.workers[swap['asker_id']]['name']} with "
                f"{self.workers[swap['other_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def decline_swap(self, swap_id: str) -> Result:
        """Decline a pending swap, as the person asked or as the planner.

        Args:
            swap_id (str): Id of the swap, such as SWAP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swap = self.swaps.get(swap_id)
        if swap is None:
            return _refused(f"There is no swap {swap_id!r}.")
        if not self._pending(swap):
            return _refused(
                f"The swap of {self.workers[swap['asker_id']]['name']} with "
                f"{self.workers[swap['other_id']]['name']} is {swap['status']}."
            )
        self._journal = []
        if swap["status"] not in ("asked", "agreed", "declined"):
            return self._take_back(f"Swap {swap['id']} cannot go from {swap['status']} to declined.")
        self._put("swaps", swap, "status", "declined")
        if self._breaks_rule_9_x(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again_again(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_y(swap):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(swap):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: decline the swap of {self.workers[swap['asker_id']]['name']} with "
                f"{self.workers[swap['other_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def report_absence(
        self,
        worker_id: str,
        starts: Date,
        ends: Date,
        why: Literal["sick", "leave", "training"],
    ) -> Result:
        """Report an absence; the duties ahead that it touches become free and swaps with them are void.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            starts (str): First day of the absence, from today on, as YYYY-MM-DD.
            ends (str): Last day of the absence, itself included, as YYYY-MM-DD.
            why (str): What keeps the person away: sick, leave or training.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        if self.now[:10] > starts or starts > ends:
            return _refused("An absence begins today or later and does not end before it begins.")
        if _days_between(starts, ends) > 60:
            return _refused("An absence lasts at most 61 days.")
        if any(
            starts <= a["ends"]
            for a in self._absences_by_worker.get(worker_id, {}).values()
            if a["starts"] <= ends
        ):
            return _refused(f"{worker['name']} is absent during these days already.")
        if any(
            self._shift_ends(self.shifts[d["shift_id"]])[:10] >= starts
            for d in self._duties_by_worker_status.get((worker_id, "on"), {}).values()
            if self.shifts[d["shift_id"]]["starts"] <= self.now
        ):
            return _refused(f"{worker['name']} is on duty right now, so let the absence begin after that shift.")
        self._journal = []
        changed_swaps: list[Any] = []
        changed_duties: list[Any] = []
        for d in [
            d
            for d in sorted(self._duties_by_worker_status.get((worker_id, "on"), {}).values(), key=_age)
            if self.shifts[d["shift_id"]]["starts"] > self.now
            and starts <= self._shift_ends(self.shifts[d["shift_id"]])[:10]
            and self.shifts[d["shift_id"]]["starts"][:10] <= ends
        ]:
            for x in [
                x
                for x in sorted(
                    _distinct(
                        [
                            *self._swaps_by_gives.get(d["id"], {}).values(),
                            *self._swaps_by_wants.get(d["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if self._pending(x)
            ]:
                if x["status"] not in ("asked", "agreed", "void"):
                    return self._take_back(f"Swap {x['id']} cannot go from {x['status']} to void.")
                changed_swaps.append(x)
                self._put("swaps", x, "status", "void")
            changed_duties.append(d)
            self._put("duties", d, "status", "off")
        absence: Absence = {
            "id": self._new_id("absence", "ABSENCE", self.absences),
            "worker_id": worker_id,
            "starts": starts,
            "ends": ends,
            "why": why,
        }
        self._add("absences", absence)
        for one_duty in _distinct(changed_duties):
            if self._breaks_rule_1(one_duty):
                return self._take_back(RULES[0])
        for one_duty in _distinct(
            [
                *changed_duties,
                *[
                    user
                    for one in [self.workers[one["worker_id"]] for one in changed_duties]
                    for user in self._duties_by_worker_status.get((one["id"], "on"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_duty):
                return self._take_back(RULES[1])
        for one_duty in _distinct(
            [
                *changed_duties,
                *[
                    user
                    for one in [self.workers[one["worker_id"]] for one in changed_duties]
                    for user in self._duties_by_worker_status.get((one["id"], "on"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_duty):
                return self._take_back(RULES[2])
        for one_shift in _distinct([self.shifts[one["shift_id"]] for one in changed_duties]):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        for one_shift in _distinct([self.shifts[one["shift_id"]] for one in changed_duties]):
            if self._breaks_rule_5(one_shift):
                return self._take_back(RULES[4])
        for one_duty in _distinct(
            [*changed_duties, *self._duties_by_worker_status.get((absence["worker_id"], "on"), {}).values()]
        ):
            if self._breaks_rule_6(one_duty):
                return self._take_back(RULES[5])
        for one_duty in _distinct(changed_duties):
            if self._breaks_rule_7(one_duty):
                return self._take_back(RULES[6])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_x(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_x_again(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_x_again_again(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(changed_swaps):
            if self._breaks_rule_9_y(one_swap):
                return self._take_back(RULES[8])
        for one_swap in _distinct(
            [
                *changed_swaps,
                *[user for one in changed_duties for user in self._swaps_by_gives.get(one["id"], {}).values()],
                *[user for one in changed_duties for user in self._swaps_by_wants.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_10(one_swap):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(absence):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: report {worker['name']} absent from {starts} to {ends} (new: absence {absence['id']})."
            ),
            "data": {"absence_id": absence["id"], **self._changes()},
        }

    def end_absence(self, absence_id: str, last_day: Date) -> Result:
        """Note that somebody is back before the absence was to end, with the last day they were away.

        Args:
            absence_id (str): Id of the absence, such as ABSENCE-00001.
            last_day (str): Last day the person was away, earlier than planned and not before yesterday, as
                YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        absence = self.absences.get(absence_id)
        if absence is None:
            return _refused(f"There is no absence {absence_id!r}.")
        if absence["starts"] > last_day or last_day >= absence["ends"]:
            return _refused(
                f"The absence of {self.workers[absence['worker_id']]['name']} lasts from {absence['starts']} to "
                f"{absence['ends']}."
            )
        if _plus_days(last_day, 1) < self.now[:10]:
            return _refused(f"{last_day} is too long ago.")
        self._journal = []
        self._put("absences", absence, "ends", last_day)
        for one_duty in _distinct(self._duties_by_worker_status.get((absence["worker_id"], "on"), {}).values()):
            if self._breaks_rule_6(one_duty):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(absence):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: end the absence of {self.workers[absence['worker_id']]['name']} on {last_day}.",
            "data": self._changes(),
        }

    def _show_worker(self, worker: Worker) -> dict[str, Any]:
        """The worker as an answer shows it."""
        return {**worker, "skills": [*worker["skills"]]}

    def _show_shift(self, shift: Shift) -> dict[str, Any]:
        """The shift as an answer shows it."""
        return {
            **shift,
            "ends": self._shift_ends(shift),
            "night": self._shift_night(shift),
            "filled": self._shift_filled(shift),
            "skilled_on": self._shift_skilled_on(shift),
        }

    def _names_of_shifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shifts point to."""
        return _names((self.stations, "name", [row["station_id"] for row in shown]))

    def _names_of_duties(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that duties point to."""
        return _names((self.workers, "name", [row["worker_id"] for row in shown]))

    def _names_of_swaps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that swaps point to."""
        return _names(
            (self.workers, "name", [row["asker_id"] for row in shown]),
            (self.workers, "name", [row["other_id"] for row in shown]),
        )

    def _names_of_absences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that absences point to."""
        return _names((self.workers, "name", [row["worker_id"] for row in shown]))

    def _shift_ends(self, shift: Shift) -> str:
        """The ends of a shift."""
        return _plus_minutes(shift["starts"], shift["length"] * 60)

    def _shift_night(self, shift: Shift) -> bool:
        """The night of a shift."""
        return shift["starts"][11:] >= "20:00" or shift["starts"][11:] < "05:00"

    def _shift_filled(self, shift: Shift) -> int:
        """The filled of a shift."""
        return len(self._duties_by_shift_status.get((shift["id"], "on"), {}))

    def _shift_skilled_on(self, shift: Shift) -> int:
        """The skilled on of a shift."""
        return sum(
            1
            for d in self._duties_by_shift_status.get((shift["id"], "on"), {}).values()
            if self.stations[shift["station_id"]]["skill"] in self.workers[d["worker_id"]]["skills"]
        )

    def _week(self, at: str) -> str:
        return _plus_days(at[:10], -(_weekday(at[:10]) - 1))

    def _clash(self, w: Worker, s: Shift, own: Duty | None) -> Duty | None:
        return next(
            (
                d
                for d in sorted(self._duties_by_worker_status.get((w["id"], "on"), {}).values(), key=_age)
                if d is not own
                and _overlap(
                    self.shifts[d["shift_id"]]["starts"],
                    _plus_minutes(self._shift_ends(self.shifts[d["shift_id"]]), 660),
                    s["starts"],
                    _plus_minutes(self._shift_ends(s), 660),
                )
            ),
            None,
        )

    def _hours_in(self, w: Worker, monday: str, own: Duty | None) -> int:
        return sum(
            self.shifts[d["shift_id"]]["length"]
            for d in self._duties_by_worker_status.get((w["id"], "on"), {}).values()
            if d is not own
            and self._week(self.shifts[d["shift_id"]]["starts"]) == monday
        )

    def _nights_in(self, w: Worker, monday: str, own: Duty | None) -> int:
        return sum(
            1
            for d in self._duties_by_worker_status.get((w["id"], "on"), {}).values()
            if d is not own
            and self._shift_night(self.shifts[d["shift_id"]])
            and self._week(self.shifts[d["shift_id"]]["starts"]) == monday
        )

    def _away(self, w: Worker, s: Shift) -> Absence | None:
        return next(
            (
                a
                for a in sorted(self._absences_by_worker.get(w["id"], {}).values(), key=_age)
                if a["starts"] <= self._shift_ends(s)[:10]
                and s["starts"][:10] <= a["ends"]
            ),
            None,
        )

    def _unskilled(self, s: Shift, freed: Duty | None) -> int:
        return sum(
            1
            for d in self._duties_by_shift_status.get((s["id"], "on"), {}).values()
            if d is not freed
            and self.stations[s["station_id"]]["skill"] not in self.workers[d["worker_id"]]["skills"]
        )

    def _can_go(self, w: Worker, s: Shift, own: Duty | None, freed: Duty | None) -> bool:
        return (
            self._clash(w, s, own) is None
            and self._away(w, s) is None
            and self._hours_in(w, self._week(s["starts"]), own) + s["length"] <= w["weekly_hours"]
            and (not self._shift_night(s) or self._nights_in(w, self._week(s["starts"]), own) < w["nights_a_week"])
            and (
                self.stations[s["station_id"]]["skill"] in w["skills"]
                or self._unskilled(s, freed) < s["places"] - s["skilled"]
            )
        )

    def _pending(self, x: Swap) -> bool:
        return x["status"] in ("asked", "agreed")

    def _works(self, x: Swap) -> bool:
        return (
            self._can_go(
                self.workers[x["asker_id"]],
                self.shifts[self.duties[x["wants_id"]]["shift_id"]],
                self.duties[x["gives_id"]],
                self.duties[x["wants_id"]],
            )
            and self._can_go(
                self.workers[x["other_id"]],
                self.shifts[self.duties[x["gives_id"]]["shift_id"]],
                self.duties[x["wants_id"]],
                self.duties[x["gives_id"]],
            )
        )

    def _breaks_rule_1(self, a: Duty) -> bool:
        """Whether this is broken: between two shifts everybody has eleven hours of rest."""
        return (
            a["status"] == "on"
            and any(
                _overlap(
                    self.shifts[a["shift_id"]]["starts"],
                    _plus_minutes(self._shift_ends(self.shifts[a["shift_id"]]), 660),
                    self.shifts[b["shift_id"]]["starts"],
                    _plus_minutes(self._shift_ends(self.shifts[b["shift_id"]]), 660),
                )
                for b in self._duties_by_worker_status.get((a["worker_id"], "on"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2(self, d: Duty) -> bool:
        """Whether this is broken: nobody works more hours a week than the contract says."""
        return (
            d["status"] == "on"
            and self._hours_in(
                self.workers[d["worker_id"]],
                self._week(self.shifts[d["shift_id"]]["starts"]),
                None,
            ) > self.workers[d["worker_id"]]["weekly_hours"]
        )

    def _breaks_rule_3(self, d: Duty) -> bool:
        """Whether this is broken: nobody has more night shifts a week than they take on."""
        return (
            d["status"] == "on"
            and self._nights_in(
                self.workers[d["worker_id"]],
                self._week(self.shifts[d["shift_id"]]["starts"]),
                None,
            ) > self.workers[d["worker_id"]]["nights_a_week"]
        )

    def _breaks_rule_4(self, s: Shift) -> bool:
        """Whether this is broken: a shift has no more people than places."""
        return self._shift_filled(s) > s["places"]

    def _breaks_rule_5(self, s: Shift) -> bool:
        """Whether this is broken: enough places of a shift are kept for people with the skill of the station."""
        return self._unskilled(s, None) > s["places"] - s["skilled"]

    def _breaks_rule_6(self, d: Duty) -> bool:
        """Whether this is broken: nobody is on duty while absent."""
        return (
            d["status"] == "on"
            and self._away(self.workers[d["worker_id"]], self.shifts[d["shift_id"]]) is not None
        )

    def _breaks_rule_7(self, d: Duty) -> bool:
        """Whether this is broken: nobody is on duty in a cancelled shift."""
        return d["status"] == "on" and self.shifts[d["shift_id"]]["status"] == "cancelled"

    def _breaks_rule_8(self, s: Shift) -> bool:
        """Whether this is broken: a station has one shift beginning at a time."""
        return any(
            other_s is not s
            for other_s in self._shifts_by_station.get(s["station_id"], {}).values()
            if other_s["starts"] == s["starts"]
        )

    def _breaks_rule_9_x(self, x: Swap) -> bool:
        """Whether this is broken: a duty is offered or wanted in one pending swap at a time."""
        return (
            self._pending(x)
            and any(
                other_x is not x
                for other_x in self._swaps_by_gives.get(x["gives_id"], {}).values()
                if self._pending(other_x)
            )
        )

    def _breaks_rule_9_x_again(self, x: Swap) -> bool:
        """Whether this is broken: a duty is offered or wanted in one pending swap at a time."""
        return (
            self._pending(x)
            and any(
                other_x is not x
                for other_x in self._swaps_by_wants.get(x["wants_id"], {}).values()
                if self._pending(other_x)
            )
        )

    def _breaks_rule_9_x_again_again(self, x: Swap) -> bool:
        """Whether this is broken: a duty is offered or wanted in one pending swap at a time."""
        return (
            self._pending(x)
            and any(self._pending(y) for y in self._swaps_by_wants.get(x["gives_id"], {}).values())
        )

    def _breaks_rule_9_y(self, y: Swap) -> bool:
        """Whether this is broken: a duty is offered or wanted in one pending swap at a time."""
        return (
            self._pending(y)
            and any(self._pending(x) for x in self._swaps_by_gives.get(y["wants_id"], {}).values())
        )

    def _breaks_rule_10(self, x: Swap) -> bool:
        """Whether this is broken: a pending swap is between two people who still have the duties."""
        return (
            self._pending(x)
            and (
                x["asker_id"] == x["other_id"]
                or self.duties[x["gives_id"]]["worker_id"] != x["asker_id"]
                or self.duties[x["wants_id"]]["worker_id"] != x["other_id"]
                or self.duties[x["gives_id"]]["status"] != "on"
                or self.duties[x["wants_id"]]["status"] != "on"
            )
        )

    def _breaks_rule_11(self, a: Absence) -> bool:
        """Whether this is broken: the absences of one person do not overlap."""
        return any(
            _overlap(a["starts"], _plus_days(a["ends"], 1), b["starts"], _plus_days(b["ends"], 1))
            for b in self._absences_by_worker.get(a["worker_id"], {}).values()
            if a is not b
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
            case "shifts":
                self._shifts_by_station.setdefault(record["station_id"], {})[record["id"]] = record
            case "duties":
                self._duties_by_shift.setdefault(record["shift_id"], {})[record["id"]] = record
                self._duties_by_shift_status.setdefault((record["shift_id"], record["status"]), {})[record["id"]] = record
                self._duties_by_worker_status.setdefault(
                    (record["worker_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "swaps":
                self._swaps_by_gives.setdefault(record["gives_id"], {})[record["id"]] = record
                self._swaps_by_wants.setdefault(record["wants_id"], {})[record["id"]] = record
            case "absences":
                self._absences_by_worker.setdefault(record["worker_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "shifts":
                del self._shifts_by_station[record["station_id"]][record["id"]]
            case "duties":
                del self._duties_by_shift[record["shift_id"]][record["id"]]
                del self._duties_by_shift_status[record["shift_id"], record["status"]][record["id"]]
                del self._duties_by_worker_status[record["worker_id"], record["status"]][record["id"]]
            case "swaps":
                del self._swaps_by_gives[record["gives_id"]][record["id"]]
                del self._swaps_by_wants[record["wants_id"]][record["id"]]
            case "absences":
                del self._absences_by_worker[record["worker_id"]][record["id"]]
