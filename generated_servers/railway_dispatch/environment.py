"""Railway dispatch. Compiled from blueprint.yaml; run `envscaler build railway_dispatch` after changing it there.

Dispatches the trains of a small line section by section, with routes that are set ahead, platforms of different
lengths, delays, diversions and possessions for track works.
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
    "A section is held by one train at a time.",
    "A running train stands in a section that it holds, and no other train stands or holds anything.",
    "A train holds only sections of its path, from where it stands onwards.",
    "A train holds no platform that is shorter than the train.",
    "Electric trains keep to electrified sections.",
    "No train holds a section that is in possession of a gang.",
    "The possessions of a section do not overlap and end after they begin.",
    "A gang works in one place at a time.",
    "A possession lasts 12 hours at most.",
    "A cancelled train says why, and no other train does.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "depart_train",
    "set_route",
    "release_route",
    "move_train",
    "terminate_train",
    "divert_train",
    "report_delay",
    "cancel_train",
    "plan_possession",
    "take_possession",
    "give_up_possession",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "stations": ("name",),
    "sections": ("code",),
    "paths": ("name",),
    "steps": (),
    "trains": ("number",),
    "delays": (),
    "possessions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("delays", "train_id"),
    ("possessions", "gang"),
    ("possessions", "section_id"),
    ("possessions", "status"),
    ("sections", "station_id"),
    ("steps", "path_id"),
    ("steps", "section_id"),
    ("trains", "hold_ids"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Station(TypedDict):
    id: str
    name: str
    staffed: bool


class Section(TypedDict):
    id: str
    code: str
    kind: Literal["line", "platform"]
    station_id: str | None
    metres: int
    electrified: bool


class Path(TypedDict):
    id: str
    name: str
    direction: Literal["down", "up"]


class Step(TypedDict):
    id: str
    path_id: str
    place: int
    section_id: str
    minutes: int


class Train(TypedDict):
    id: str
    number: str
    kind: Literal["express", "regional", "freight"]
    metres: int
    electric: bool
    path_id: str
    departs: str
    at_id: str | None
    hold_ids: list[str]
    cancelled_for: str | None
    status: Literal["planned", "running", "cancelled", "arrived"]


class Delay(TypedDict):
    id: str
    train_id: str
    minutes: int
    cause: Literal["late_departure", "signal_fault", "waiting_for_train", "doors", "weather", "trackworks"]


class Possession(TypedDict):
    id: str
    section_id: str
    gang: str
    starts: str
    ends: str
    status: Literal["planned", "taken", "given_up"]


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class RailwayDispatch:
    """Dispatches the trains of a small line section by section, with routes that are set ahead, platforms
    of different lengths, delays, diversions and possessions for track works.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.sections: dict[str, Section] = _copied(config.get("sections", {}))
        self.paths: dict[str, Path] = _copied(config.get("paths", {}))
        self.steps: dict[str, Step] = _copied(config.get("steps", {}))
        self.trains: dict[str, Train] = _copied(config.get("trains", {}))
        self.delays: dict[str, Delay] = _copied(config.get("delays", {}))
        self.possessions: dict[str, Possession] = _copied(config.get("possessions", {}))
        self.now: str = config.get("now", "2026-03-18T18:35")
        self.counters: dict[str, int] = {
            "station": len(self.stations),
            "section": len(self.sections),
            "path": len(self.paths),
            "step": len(self.steps),
            "train": len(self.trains),
            "delay": len(self.delays),
            "possession": len(self.possessions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sections_by_station: dict[Any, dict[str, Section]] = {}
        self._steps_by_path: dict[Any, dict[str, Step]] = {}
        self._steps_by_path_section: dict[Any, dict[str, Step]] = {}
        self._trains_by_holds: dict[Any, dict[str, Train]] = {}
        self._delays_by_train: dict[Any, dict[str, Delay]] = {}
        self._possessions_by_gang_status: dict[Any, dict[str, Possession]] = {}
        self._possessions_by_section: dict[Any, dict[str, Possession]] = {}
        self._possessions_by_section_status: dict[Any, dict[str, Possession]] = {}
        for section in self.sections.values():
            self._link("sections", section)
        for step in self.steps.values():
            self._link("steps", step)
        for train in self.trains.values():
            self._link("trains", train)
        for delay in self.delays.values():
            self._link("delays", delay)
        for possession in self.possessions.values():
            self._link("possessions", possession)

    def way_ahead(self, train_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The sections that a running train still has ahead, when it is due there, how late it is reported and what
        keeps it out of them.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}} or {"success": False, "error": why
                not}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        found = [s for s in self._ahead_of(train)]
        shown = [
            {
                "id": s["id"],
                "code": s["code"],
                "kind": s["kind"],
                "metres": s["metres"],
                "holder": _id_of(self._section_holder(s)),
                "closed": self._section_closed(s),
                "due": next(
                    (
                        _plus_minutes(train["departs"], x["minutes"])
                        for x in sorted(
                            self._steps_by_path_section.get((train["path_id"], s["id"]), {}).values(),
                            key=_age,
                        )
                    ),
                    None,
                ),
                "minutes_late": self._train_delay(train),
                "open_for_it": self._open_for(train, s),
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "sections": shown},
            _names((self.trains, "number", [row["holder"] for row in shown])),
        )

    def station_board(
        self,
        station_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The platforms of a station with the trains that hold them.

        Args:
            station_id (str): Id of the station, such as STATION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}} or {"success": False, "error": why
                not}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            s
            for s in self._sections_by_station.get(station_id, {}).values()
            if (s["station_id"] is not None and s["station_id"] == station_id)
        ]
        found.sort(key=lambda s: (s["code"], _age(s)))
        shown = [
            {
                "id": s["id"],
                "code": s["code"],
                "metres": s["metres"],
                "holder": _id_of(self._section_holder(s)),
                "closed": self._section_closed(s),
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "sections": shown},
            _names((self.trains, "number", [row["holder"] for row in shown])),
        )

    def late_trains(
        self,
        least: Annotated[int, {"minimum": 1, "maximum": 600}],
        kind: Literal["express", "regional", "freight"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Planned and running trains that have lost minutes, the latest first.

        Args:
            least (int): Least delay of the trains listed in minutes, from 1 to 600.
            kind (str, optional): Kind of trains listed: express, regional or freight. If left out, trains of all
                kinds are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trains": records}} or {"success": False, "error": why
                not}
        """
        found = [
            t
            for t in self.trains.values()
            if (t["status"] in ("planned", "running") and self._train_delay(t) >= least)
            and (kind is None or t["kind"] == kind)
        ]
        found.sort(key=lambda t: (-self._train_delay(t), t["number"], _age(t)))
        shown = [
            {"id": t["id"], "number": t["number"], "kind": t["kind"], "delay": self._train_delay(t), "at": t["at_id"]}
            for t in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "trains": shown},
            _names((self.sections, "code", [row["at"] for row in shown])),
        )

    def works_due(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Possessions whose time has come and that were not handed over yet.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "possessions": records}} or {"success": False, "error":
                why not}
        """
        found = [p for p in self.possessions.values() if self._due(p, self.now)]
        found.sort(key=lambda p: (p["starts"], p["id"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "section": self.sections[p["section_id"]]["code"],
                "gang": p["gang"],
                "ends": p["ends"],
                "holder": _id_of(self._section_holder(self.sections[p["section_id"]])),
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "possessions": shown},
            _names((self.trains, "number", [row["holder"] for row in shown])),
        )

    def list_stations(
        self,
        name: Text | None = None,
        staffed: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stations whose name contains this text.
            staffed (bool, optional): Only stations that are staffed (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (name is None or name.casefold() in station["name"].casefold())
            and (staffed is None or station["staffed"] == staffed)
        ]
        return _found({"total": len(found), "stations": [{**station} for station in _page(found, offset)]})

    def list_sections(
        self,
        code: Text | None = None,
        kind: Literal["line", "platform"] | None = None,
        station_id: str | None = None,
        electrified: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sections, oldest first, all of them or only some.

        Args:
            code (str, optional): Only sections whose code contains this text.
            kind (str, optional): Only sections with this kind.
            station_id (str, optional): Only sections of this station.
            electrified (bool, optional): Only sections that are electrified (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}}
        """
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            section
            for section in self.sections.values()
            if (code is None or code.casefold() in section["code"].casefold())
            and (kind is None or section["kind"] == kind)
            and (station_id is None or section["station_id"] == station_id)
            and (electrified is None or section["electrified"] == electrified)
        ]
        shown = [self._show_section(section) for section in _page(found, offset)]
        return _found({"total": len(found), "sections": shown}, self._names_of_sections(shown))

    def list_paths(
        self,
        name: Text | None = None,
        direction: Literal["down", "up"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the paths, oldest first, all of them or only some.

        Args:
            name (str, optional): Only paths whose name contains this text.
            direction (str, optional): Only paths with this direction.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "paths": records}}
        """
        found = [
            path
            for path in self.paths.values()
            if (name is None or name.casefold() in path["name"].casefold())
            and (direction is None or path["direction"] == direction)
        ]
        return _found({"total": len(found), "paths": [self._show_path(path) for path in _page(found, offset)]})

    def list_steps(
        self,
        path_id: str | None = None,
        section_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the steps, oldest first, all of them or only some.

        Args:
            path_id (str, optional): Only steps of this path.
            section_id (str, optional): Only steps of this section.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}}
        """
        if path_id is not None and path_id not in self.paths:
            return _refused(f"There is no path {path_id!r}.")
        if section_id is not None and section_id not in self.sections:
            return _refused(f"There is no section {section_id!r}.")
        found = [
            step
            for step in self.steps.values()
            if (path_id is None or step["path_id"] == path_id)
            and (section_id is None or step["section_id"] == section_id)
        ]
        shown = [{**step} for step in _page(found, offset)]
        return _found({"total": len(found), "steps": shown}, self._names_of_steps(shown))

    def list_trains(
        self,
        number: Text | None = None,
        kind: Literal["express", "regional", "freight"] | None = None,
        electric: bool | None = None,
        path_id: str | None = None,
        at_id: str | None = None,
        status: Literal["planned", "running", "cancelled", "arrived"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trains, oldest first, all of them or only some.

        Args:
            number (str, optional): Only trains whose number contains this text.
            kind (str, optional): Only trains with this kind.
            electric (bool, optional): Only trains with this value of `electric`.
            path_id (str, optional): Only trains of this path.
            at_id (str, optional): Only trains at this section.
            status (str, optional): Only trains with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trains": records}}
        """
        if path_id is not None and path_id not in self.paths:
            return _refused(f"There is no path {path_id!r}.")
        if at_id is not None and at_id not in self.sections:
            return _refused(f"There is no section {at_id!r}.")
        found = [
            train
            for train in self.trains.values()
            if (number is None or number.casefold() in train["number"].casefold())
            and (kind is None or train["kind"] == kind)
            and (electric is None or train["electric"] == electric)
            and (path_id is None or train["path_id"] == path_id)
            and (at_id is None or train["at_id"] == at_id)
            and (status is None or train["status"] == status)
        ]
        shown = [self._show_train(train) for train in _page(found, offset)]
        return _found({"total": len(found), "trains": shown}, self._names_of_trains(shown))

    def list_delays(
        self,
        train_id: str | None = None,
        cause: Literal[
            "late_departure",
            "signal_fault",
            "waiting_for_train",
            "doors",
            "weather",
            "trackworks",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the delays, oldest first, all of them or only some.

        Args:
            train_id (str, optional): Only delays of this train.
            cause (str, optional): Only delays with this cause.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "delays": records}}
        """
        if train_id is not None and train_id not in self.trains:
            return _refused(f"There is no train {train_id!r}.")
        found = [
            delay
            for delay in self.delays.values()
            if (train_id is None or delay["train_id"] == train_id)
            and (cause is None or delay["cause"] == cause)
        ]
        shown = [{**delay} for delay in _page(found, offset)]
        return _found({"total": len(found), "delays": shown}, self._names_of_delays(shown))

    def list_possessions(
        self,
        section_id: str | None = None,
        status: Literal["planned", "taken", "given_up"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the possessions, oldest first, all of them or only some.

        Args:
            section_id (str, optional): Only possessions of this section.
            status (str, optional): Only possessions with this status.
            starts_from (str, optional): Only possessions whose `starts` is on this day or later.
            starts_to (str, optional): Only possessions whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "possessions": records}}
        """
        if section_id is not None and section_id not in self.sections:
            return _refused(f"There is no section {section_id!r}.")
        found = [
            possession
            for possession in self.possessions.values()
            if (section_id is None or possession["section_id"] == section_id)
            and (status is None or possession["status"] == status)
            and (starts_from is None or possession["starts"][:10] >= starts_from)
            and (starts_to is None or possession["starts"][:10] <= starts_to)
        ]
        shown = [{**possession} for possession in _page(found, offset)]
        return _found({"total": len(found), "possessions": shown}, self._names_of_possessions(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def depart_train(self, train_id: str) -> Result:
        """Let a planned train depart from the first section of its path; a late departure is noted as delay.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] != "planned":
            return _refused(f"{train['number']} is {train['status']}.")
        if train["departs"] > self.now:
            return _refused(f"{train['number']} departs at {train['departs']}, not before.")
        start = self._origin(self.paths[train["path_id"]])
        if start is None:
            return _refused(f"The path {self.paths[train['path_id']]['name']} has no first section.")
        other = self._section_holder(start)
        if other is not None:
            return _refused(f"{start['code']} is held by {other['number']}.")
        if self._section_closed(start):
            return _refused(f"{start['code']} is in possession of a gang.")
        if start["kind"] != "line" and train["metres"] > start["metres"]:
            return _refused(
                f"{start['code']} has {start['metres']} m and {train['number']} {train['metres']} m; divert it to "
                "another platform."
            )
        if not start["electrified"] and train["electric"]:
            return _refused(f"{start['code']} is not electrified.")
        self._journal = []
        self._put("trains", train, "at_id", start["id"])
        former_hold_ids = train["hold_ids"]
        self._put("trains", train, "hold_ids", [record["id"] for record in [start]])
        self._put("trains", train, "status", "running")
        if _minutes_between(train["departs"], self.now) > 0:
            minutes = min(600, _minutes_between(train["departs"], self.now))
            if not 1 <= minutes <= 600:
                return self._take_back("The minutes of a delay must be between 1 and 600.")
            delay = {
                "id": self._new_id("delay", "DELAY", self.delays),
                "train_id": train_id,
                "minutes": minutes,
                "cause": "late_departure",
            }
            self._add("delays", delay)
        if self._breaks_rule_1():
            return self._take_back(RULES[0])
        if self._breaks_rule_2(train):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(train):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(train):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(train):
            return self._take_back(RULES[4])
        for one_possession in _distinct(
            [
                *[
                    user
                    for one in [self.sections[key] for key in train["hold_ids"]]
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_hold_ids]
                    if one is not None
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_possession):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(train):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: let {train['number']} depart.", "data": self._changes()}

    def set_route(self, train_id: str, sections: Annotated[int, {"minimum": 1, "maximum": 4}]) -> Result:
        """Set the route of a running train for the next sections of its path.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.
            sections (int): How many of the next sections of its path the train gets, from 1 to 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] != "running":
            return _refused(f"{train['number']} is {train['status']}.")
        here = self.sections.get(train["at_id"])
        place = self._train_place(train)
        if here is None or place is None:
            return _refused(f"{train['number']} is not on the line.")
        run = [
            self.sections[x["section_id"]]
            for x in sorted(self._steps_by_path.get(train["path_id"], {}).values(), key=_age)
            if x["place"] > place
            and x["place"] <= place + sections
        ]
        if len(run) != sections:
            return _refused(f"{train['number']} has {len(run)} sections ahead, not {sections}.")
        other = next(
            (
                o
                for s in run
                for o in sorted(self._trains_by_holds.get(s["id"], {}).values(), key=_age)
                if o is not train
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{other['number']} holds a section ahead of {train['number']}; it must move on or give its route "
                "back."
            )
        shut = next((s for s in run if self._section_closed(s)), None)
        if shut is not None:
            return _refused(f"{shut['code']} is in possession of a gang.")
        short = next((s for s in run if s["kind"] == "platform" and s["metres"] < train["metres"]), None)
        if short is not None:
            return _refused(
                f"Platform {short['code']} has {short['metres']} m and {train['number']} {train['metres']} m; "
                "divert it."
            )
        bare = next((s for s in run if train["electric"] and not s["electrified"]), None)
        if bare is not None:
            return _refused(f"{bare['code']} is not electrified.")
        self._journal = []
        former_hold_ids = train["hold_ids"]
        self._put("trains", train, "hold_ids", [record["id"] for record in [here] + run])
        if self._breaks_rule_1():
            return self._take_back(RULES[0])
        if self._breaks_rule_2(train):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(train):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(train):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(train):
            return self._take_back(RULES[4])
        for one_possession in _distinct(
            [
                *[
                    user
                    for one in [self.sections[key] for key in train["hold_ids"]]
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_hold_ids]
                    if one is not None
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_possession):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: set the route of {train['number']} for {sections} sections.",
            "data": self._changes(),
        }

    def release_route(self, train_id: str) -> Result:
        """Take back the sections that were set ahead of a train.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] != "running":
            return _refused(f"{train['number']} is {train['status']}.")
        here = self.sections.get(train["at_id"])
        if here is None or len(train["hold_ids"]) <= 1:
            return _refused(f"Nothing is set ahead of {train['number']}.")
        self._journal = []
        former_hold_ids = train["hold_ids"]
        self._put("trains", train, "hold_ids", [record["id"] for record in [here]])
        if self._breaks_rule_1():
            return self._take_back(RULES[0])
        if self._breaks_rule_2(train):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(train):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(train):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(train):
            return self._take_back(RULES[4])
        for one_possession in _distinct(
            [
                *[
                    user
                    for one in [self.sections[key] for key in train["hold_ids"]]
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_hold_ids]
                    if one is not None
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_possession):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: release the route of {train['number']}.", "data": self._changes()}

    def move_train(self, train_id: str) -> Result:
        """Move a running train into the next section of its path, which must be set for it.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] != "running":
            return _refused(f"{train['number']} is {train['status']}.")
        here = self.sections.get(train["at_id"])
        goal = self._train_following(train)
        if here is None or goal is None:
            return _refused(f"{train['number']} is at the end of its path.")
        if goal["id"] not in train["hold_ids"]:
            return _refused(f"No route is set for {train['number']} into {goal['code']}.")
        self._journal = []
        self._put("trains", train, "at_id", goal["id"])
        former_hold_ids = train["hold_ids"]
        self._put(
            "trains",
            train,
            "hold_ids",
            [
                record["id"]
                for record in [s for s in [self.sections[key] for key in train["hold_ids"]] if s is not here]
            ],
        )
        if self._breaks_rule_1():
            return self._take_back(RULES[0])
        if self._breaks_rule_2(train):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(train):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(train):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(train):
            return self._take_back(RULES[4])
        for one_possession in _distinct(
            [
                *[
                    user
                    for one in [self.sections[key] for key in train["hold_ids"]]
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_hold_ids]
                    if one is not None
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_possession):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: move {train['number']} on.", "data": self._changes()}

    def terminate_train(self, train_id: str) -> Result:
        """End the run of a train at the last section of its path.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] != "running":
            return _refused(f"{train['number']} is {train['status']}.")
        goal = self._train_following(train)
        if goal is not None:
            return _refused(f"{train['number']} still has to go to {goal['code']}.")
        self._journal = []
        self._put("trains", train, "at_id", None)
        former_hold_ids = train["hold_ids"]
        self._put("trains", train, "hold_ids", [])
        self._put("trains", train, "status", "arrived")
        if self._breaks_rule_1():
            return self._take_back(RULES[0])
        if self._breaks_rule_2(train):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(train):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(train):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(train):
            return self._take_back(RULES[4])
        for one_possession in _distinct(
            [
                *[
                    user
                    for one in [self.sections[key] for key in train["hold_ids"]]
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_hold_ids]
                    if one is not None
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_possession):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(train):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: end the run of {train['number']}.", "data": self._changes()}

    def divert_train(self, train_id: str, path_id: str) -> Result:
        """Give a train another path, from where it stands, or from another platform of the same station before it
        departs.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.
            path_id (str): Id of the path, such as PATH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        path = self.paths.get(path_id)
        if path is None:
            return _refused(f"There is no path {path_id!r}.")
        if train["status"] not in ("planned", "running"):
            return _refused(f"{train['number']} is {train['status']}.")
        if path_id == train["path_id"]:
            return _refused(f"{train['number']} has the path {path['name']} already.")
        if path["direction"] != self.paths[train["path_id"]]["direction"]:
            return _refused(
                f"{path['name']} leads {path['direction']} and {train['number']} goes "
                f"{self.paths[train['path_id']]['direction']}."
            )
        here = self.sections.get(train["at_id"])
        if not (here is None or bool(self._steps_by_path_section.get((path_id, here["id"]), {}))):
            return _refused(f"{path['name']} does not lead through the section where {train['number']} stands.")
        old = self._origin(self.paths[train["path_id"]])
        start = self._origin(path)
        if not (
            here is not None
            or old is not None
            and start is not None
            and old["station_id"] == start["station_id"]
        ):
            return _refused(f"{path['name']} begins at another station.")
        self._journal = []
        changed_trains: list[Any] = []
        former_hold_ids: list[Any] = []
        self._put("trains", train, "path_id", path_id)
        if here is not None:
            changed_trains.append(train)
            former_hold_ids.extend(train["hold_ids"])
            self._put("trains", train, "hold_ids", [record["id"] for record in [here]])
        if self._breaks_rule_1():
            return self._take_back(RULES[0])
        for one_train in _distinct(changed_trains):
            if self._breaks_rule_2(one_train):
                return self._take_back(RULES[1])
        for one_train in _distinct([train, *changed_trains]):
            if self._breaks_rule_3(one_train):
                return self._take_back(RULES[2])
        for one_train in _distinct(changed_trains):
            if self._breaks_rule_4(one_train):
                return self._take_back(RULES[3])
        for one_train in _distinct(changed_trains):
            if self._breaks_rule_5(one_train):
                return self._take_back(RULES[4])
        for one_possession in _distinct(
            [
                *[
                    user
                    for one in [self.sections[key] for one in changed_trains for key in one["hold_ids"]]
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_hold_ids]
                    if one is not None
                    for user in self._possessions_by_section_status.get((one["id"], "taken"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_possession):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: divert {train['number']} to {path['name']}.",
            "data": self._changes(),
        }

    def report_delay(
        self,
        train_id: str,
        minutes: Annotated[int, {"minimum": 1, "maximum": 600}],
        cause: Literal["late_departure", "signal_fault", "waiting_for_train", "doors", "weather", "trackworks"],
    ) -> Result:
        """Note minutes that a train has lost.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.
            minutes (int): Time that the train has lost in minutes, from 1 to 600.
            cause (str): What made the train lose the time: late_departure, signal_fault, waiting_for_train, doors,
                weather or trackworks.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] not in ("planned", "running"):
            return _refused(f"{train['number']} is {train['status']}.")
        self._journal = []
        delay: Delay = {
            "id": self._new_id("delay", "DELAY", self.delays),
            "train_id": train_id,
            "minutes": minutes,
            "cause": cause,
        }
        self._add("delays", delay)
        return {
            "success": True,
            "message": f"Done: note {minutes} minutes of delay for {train['number']} (new: delay {delay['id']}).",
            "data": {"delay_id": delay["id"], **self._changes()},
        }

    def cancel_train(self, train_id: str, reason: Text) -> Result:
        """Cancel a train that has not departed.

        Args:
            train_id (str): Id of the train, such as TRAIN-00001.
            reason (str): Why the train does not run.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        train = self.trains.get(train_id)
        if train is None:
            return _refused(f"There is no train {train_id!r}.")
        if train["status"] != "planned":
            return _refused(f"{train['number']} is {train['status']}.")
        self._journal = []
        self._put("trains", train, "cancelled_for", reason)
        self._put("trains", train, "status", "cancelled")
        if self._breaks_rule_2(train):
            return self._take_back(RULES[1])
        if self._breaks_rule_10(train):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: cancel {train['number']}.", "data": self._changes()}

    def plan_possession(self, section_id: str, gang: Text, starts: DateTime, ends: DateTime) -> Result:
        """Plan the possession of a section by a gang.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            gang (str): Name of the gang that works on the track.
            starts (str): When the possession begins, not in the past, as YYYY-MM-DDTHH:MM.
            ends (str): When the possession ends, within 12 hours of its beginning, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if self.now > starts:
            return _refused(f"A possession begins after {self.now}.")
        if starts >= ends or ends > _plus_minutes(starts, 12 * 60):
            return _refused("A possession lasts 12 hours at most.")
        other = next(
            (
                p
                for p in sorted(self._possessions_by_section.get(section_id, {}).values(), key=_age)
                if p["status"] != "given_up"
                and _overlap(p["starts"], p["ends"], starts, ends)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{section['code']} is planned for {other['gang']} from {other['starts']} to {other['ends']}."
            )
        self._journal = []
        possession: Possession = {
            "id": self._new_id("possession", "POSSESSION", self.possessions),
            "section_id": section_id,
            "gang": gang,
            "starts": starts,
            "ends": ends,
            "status": "planned",
        }
        self._add("possessions", possession)
        if self._breaks_rule_6(possession):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_p(possession):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(possession):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(possession):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(possession):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: plan the possession of {section['code']} by {gang} from {starts} to {ends} (new: "
                f"possession {possession['id']})."
            ),
            "data": {"possession_id": possession["id"], **self._changes()},
        }

    def take_possession(self, possession_id: str) -> Result:
        """Hand a section over to its gang, within the time planned and free of trains.

        Args:
            possession_id (str): Id of the possession, such as POSSESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        possession = self.possessions.get(possession_id)
        if possession is None:
            return _refused(f"There is no possession {possession_id!r}.")
        if possession["status"] != "planned":
            return _refused(
                f"The possession of {self.sections[possession['section_id']]['code']} is {possession['status']}."
            )
        if possession["starts"] > self.now or self.now >= possession["ends"]:
            return _refused(
                f"The possession of {self.sections[possession['section_id']]['code']} runs from "
                f"{possession['starts']} to {possession['ends']}."
            )
        train = self._section_holder(self.sections[possession["section_id"]])
        if train is not None:
            return _refused(
                f"{self.sections[possession['section_id']]['code']} is held by {train['number']}; it must move on "
                "or give its route back."
            )
        busy = next(
            (
                p
                for p in sorted(
                    self._possessions_by_gang_status.get((possession["gang"], "taken"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if busy is not None:
            return _refused(f"{possession['gang']} is at work in {self.sections[busy['section_id']]['code']}.")
        self._journal = []
        self._put("possessions", possession, "status", "taken")
        if self._breaks_rule_6(possession):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_p(possession):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(possession):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: hand {self.sections[possession['section_id']]['code']} over to {possession['gang']}.",
            "data": self._changes(),
        }

    def give_up_possession(self, possession_id: str) -> Result:
        """Take a section back from its gang, or call a possession off that was only planned.

        Args:
            possession_id (str): Id of the possession, such as POSSESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        possession = self.possessions.get(possession_id)
        if possession is None:
            return _refused(f"There is no possession {possession_id!r}.")
        if possession["status"] not in ("planned", "taken"):
            return _refused(
                f"The possession of {self.sections[possession['section_id']]['code']} is {possession['status']}."
            )
        self._journal = []
        self._put("possessions", possession, "status", "given_up")
        if self._breaks_rule_6(possession):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_p(possession):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(possession):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: take {self.sections[possession['section_id']]['code']} back from {possession['gang']}."
            ),
            "data": self._changes(),
        }

    def _show_section(self, section: Section) -> dict[str, Any]:
        """The section as an answer shows it."""
        return {
            **section,
            "holder_id": _id_of(self._section_holder(section)),
            "closed": self._section_closed(section),
        }

    def _show_path(self, path: Path) -> dict[str, Any]:
        """The path as an answer shows it."""
        return {**path, "last_place": self._path_last_place(path)}

    def _show_train(self, train: Train) -> dict[str, Any]:
        """The train as an answer shows it."""
        return {
            **train,
            "hold_ids": [*train["hold_ids"]],
            "place": self._train_place(train),
            "following_id": _id_of(self._train_following(train)),
            "delay": self._train_delay(train),
        }

    def _names_of_sections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sections point to."""
        return _names(
            (self.stations, "name", [row["station_id"] for row in shown]),
            (self.trains, "number", [row["holder_id"] for row in shown]),
        )

    def _names_of_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that steps point to."""
        return _names(
            (self.paths, "name", [row["path_id"] for row in shown]),
            (self.sections, "code", [row["section_id"] for row in shown]),
        )

    def _names_of_trains(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trains point to."""
        return _names(
            (self.paths, "name", [row["path_id"] for row in shown]),
            (self.sections, "code", [row["at_id"] for row in shown]),
            (self.sections, "code", [each for row in shown for each in row["hold_ids"]]),
            (self.sections, "code", [row["following_id"] for row in shown]),
        )

    def _names_of_delays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that delays point to."""
        return _names((self.trains, "number", [row["train_id"] for row in shown]))

    def _names_of_possessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that possessions point to."""
        return _names((self.sections, "code", [row["section_id"] for row in shown]))

    def _section_holder(self, section: Section) -> Train | None:
        """The holder of a section."""
        return next((t for t in sorted(self._trains_by_holds.get(section["id"], {}).values(), key=_age)), None)

    def _section_closed(self, section: Section) -> bool:
        """The closed of a section."""
        return any(p["status"] == "taken" for p in self._possessions_by_section.get(section["id"], {}).values())

    def _path_last_place(self, path: Path) -> int | None:
        """The last place of a path."""
        return max((x["place"] for x in self._steps_by_path.get(path["id"], {}).values()), default=None)

    def _train_place(self, train: Train) -> int | None:
        """The place of a train."""
        return next(
            (
                x["place"]
                for x in sorted(
                    self._steps_by_path_section.get((train["path_id"], train["at_id"]), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _train_following(self, train: Train) -> Section | None:
        """The following of a train."""
        return next(
            (
                self.sections[x["section_id"]]
                for x in sorted(self._steps_by_path.get(train["path_id"], {}).values(), key=_age)
                if self._train_place(train) is not None
                and x["place"] == self._train_place(train) + 1
            ),
            None,
        )

    def _train_delay(self, train: Train) -> int:
        """The delay of a train."""
        return sum(d["minutes"] for d in self._delays_by_train.get(train["id"], {}).values())

    def _origin(self, p: Path) -> Section | None:
        return next(
            (
                self.sections[x["section_id"]]
                for x in sorted(self._steps_by_path.get(p["id"], {}).values(), key=_age)
                if x["place"] == 1
            ),
            None,
        )

    def _ahead_of(self, t: Train) -> list[Section]:
        return [
            self.sections[x["section_id"]]
            for x in sorted(self._steps_by_path.get(t["path_id"], {}).values(), key=_age)
            if self._train_place(t) is not None
            and x["place"] > self._train_place(t)
        ]

    def _open_for(self, t: Train, s: Section) -> bool:
        return (
            not any(o is not t for o in self._trains_by_holds.get(s["id"], {}).values())
            and not self._section_closed(s)
            and (s["kind"] == "line" or t["metres"] <= s["metres"])
            and (s["electrified"] or not t["electric"])
        )

    def _due(self, p: Possession, t: str) -> bool:
        return p["status"] == "planned" and (p["starts"] <= t and t < p["ends"])

    def _breaks_rule_1(self) -> bool:
        """Whether this is broken: a section is held by one train at a time."""
        return not _different(
            [s["id"] for t in self.trains.values() for s in [self.sections[key] for key in t["hold_ids"]]]
        )

    def _breaks_rule_2(self, t: Train) -> bool:
        """Whether this is broken: a running train stands in a section that it holds, and no other train stands or
        holds anything.
        """
        return not (
            (t["status"] == "running") == (t["at_id"] is not None)
            and (t["at_id"] is None or t["at_id"] in t["hold_ids"])
            and (t["status"] == "running" or len(t["hold_ids"]) == 0)
        )

    def _breaks_rule_3(self, t: Train) -> bool:
        """Whether this is broken: a train holds only sections of its path, from where it stands onwards."""
        return any(
            s["id"] != t["at_id"]
            and s not in self._ahead_of(t)
            for s in [self.sections[key] for key in t["hold_ids"]]
        )

    def _breaks_rule_4(self, t: Train) -> bool:
        """Whether this is broken: a train holds no platform that is shorter than the train."""
        return any(
            s["kind"] != "line"
            and t["metres"] > s["metres"]
            for s in [self.sections[key] for key in t["hold_ids"]]
        )

    def _breaks_rule_5(self, t: Train) -> bool:
        """Whether this is broken: electric trains keep to electrified sections."""
        return any(not s["electrified"] and t["electric"] for s in [self.sections[key] for key in t["hold_ids"]])

    def _breaks_rule_6(self, p: Possession) -> bool:
        """Whether this is broken: no train holds a section that is in possession of a gang."""
        return p["status"] == "taken" and self._section_holder(self.sections[p["section_id"]]) is not None

    def _breaks_rule_7_p(self, p: Possession) -> bool:
        """Whether this is broken: the possessions of a section do not overlap and end after they begin."""
        return any(
            p["status"] != "given_up"
            and q["status"] != "given_up"
            and _overlap(p["starts"], p["ends"], q["starts"], q["ends"])
            for q in self._possessions_by_section.get(p["section_id"], {}).values()
            if p is not q
        )

    def _breaks_rule_7_p_again(self, p: Possession) -> bool:
        """Whether this is broken: the possessions of a section do not overlap and end after they begin."""
        return p["starts"] >= p["ends"]

    def _breaks_rule_8(self, p: Possession) -> bool:
        """Whether this is broken: a gang works in one place at a time."""
        return (
            p["status"] == "taken"
            and any(
                other_p is not p
                for other_p in self._possessions_by_gang_status.get((p["gang"], "taken"), {}).values()
            )
        )

    def _breaks_rule_9(self, p: Possession) -> bool:
        """Whether this is broken: a possession lasts 12 hours at most."""
        return _minutes_between(p["starts"], p["ends"]) > 12 * 60

    def _breaks_rule_10(self, t: Train) -> bool:
        """Whether this is broken: a cancelled train says why, and no other train does."""
        return (t["status"] == "cancelled") != (t["cancelled_for"] is not None)

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
            case "sections":
                self._sections_by_station.setdefault(record["station_id"], {})[record["id"]] = record
            case "steps":
                self._steps_by_path.setdefault(record["path_id"], {})[record["id"]] = record
                self._steps_by_path_section.setdefault(
                    (record["path_id"], record["section_id"]),
                    {},
                )[record["id"]] = record
            case "trains":
                for key in record["hold_ids"]:
                    self._trains_by_holds.setdefault(key, {})[record["id"]] = record
            case "delays":
                self._delays_by_train.setdefault(record["train_id"], {})[record["id"]] = record
            case "possessions":
                self._possessions_by_gang_status.setdefault((record["gang"], record["status"]), {})[record["id"]] = record
                self._possessions_by_section.setdefault(record["section_id"], {})[record["id"]] = record
                self._possessions_by_section_status.setdefault(
                    (record["section_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sections":
                del self._sections_by_station[record["station_id"]][record["id"]]
            case "steps":
                del self._steps_by_path[record["path_id"]][record["id"]]
                del self._steps_by_path_section[record["path_id"], record["section_id"]][record["id"]]
            case "trains":
                for key in record["hold_ids"]:
                    self._trains_by_holds[key].pop(record["id"], None)
            case "delays":
                del self._delays_by_train[record["train_id"]][record["id"]]
            case "possessions":
                del self._possessions_by_gang_status[record["gang"], record["status"]][record["id"]]
                del self._possessions_by_section[record["section_id"]][record["id"]]
                del self._possessions_by_section_status[record["section_id"], record["status"]][record["id"]]
