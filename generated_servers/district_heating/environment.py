"""District heating. Compiled from blueprint.yaml; run `envscaler build district_heating` after changing it there.

Runs a district heating network in winter, with capacity contracted along the pipes, requests in a queue, shut-
off windows, frost protection with mobile heaters, and meters.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "What is contracted behind a pipe never exceeds its capacity.",
    "A substation has one request waiting at a time.",
    "Shut-offs on pipes that feed each other are never at the same time.",
    "A pipe is shut while a shut-off on it is under way, and only then.",
    "A shut-off that has begun knows the lowest temperature of its day, and no other does.",
    "A hospital is never without heat, and nobody sensitive for more than four hours of frost.",
    "A mobile heater has at least half of what the substation has contracted.",
    "A mobile heater is in one place at a time.",
    "Heaters go to substations that the shut-off leaves cold, one to each.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_capacity",
    "grant_request",
    "refuse_request",
    "reduce_capacity",
    "plan_shut_off",
    "place_heater",
    "begin_shut_off",
    "end_shut_off",
    "cancel_shut_off",
    "read_meter",
    "set_forecast",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "pipes": ("name",),
    "substations": ("name",),
    "requests": (),
    "shut_offs": (),
    "heaters": ("code",),
    "protections": (),
    "forecasts": (),
    "meters": ("serial",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("forecasts", "day"),
    ("pipes", "upstream_id"),
    ("protections", "heater_id"),
    ("protections", "shut_off_id"),
    ("protections", "substation_id"),
    ("requests", "status"),
    ("requests", "substation_id"),
    ("shut_offs", "pipe_id"),
    ("shut_offs", "status"),
    ("substations", "pipe_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Pipe(TypedDict):
    id: str
    name: str
    upstream_id: str | None
    capacity: int
    shut: bool


class Substation(TypedDict):
    id: str
    name: str
    pipe_id: str
    contracted: int
    care: Literal["none", "sensitive", "hospital"]


class Request(TypedDict):
    id: str
    substation_id: str
    more: int
    asked_at: str
    status: Literal["waiting", "granted", "refused"]


class ShutOff(TypedDict):
    id: str
    pipe_id: str
    starts: str
    lasts: int
    reason: str
    lowest: int | None
    status: Literal["planned", "under_way", "cancelled", "ended"]


class Heater(TypedDict):
    id: str
    code: str
    kw: int


class Protection(TypedDict):
    id: str
    shut_off_id: str
    substation_id: str
    heater_id: str


class Forecast(TypedDict):
    id: str
    day: str
    lowest: int


class Meter(TypedDict):
    id: str
    serial: str
    substation_id: str
    mwh: int
    read_on: str


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


class DistrictHeating:
    """Runs a district heating network in winter, with capacity contracted along the pipes, requests in a
    queue, shut-off windows, frost protection with mobile heaters, and meters.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.pipes: dict[str, Pipe] = _copied(config.get("pipes", {}))
        self.substations: dict[str, Substation] = _copied(config.get("substations", {}))
        self.requests: dict[str, Request] = _copied(config.get("requests", {}))
        self.shut_offs: dict[str, ShutOff] = _copied(config.get("shut_offs", {}))
        self.heaters: dict[str, Heater] = _copied(config.get("heaters", {}))
        self.protections: dict[str, Protection] = _copied(config.get("protections", {}))
        self.forecasts: dict[str, Forecast] = _copied(config.get("forecasts", {}))
        self.meters: dict[str, Meter] = _copied(config.get("meters", {}))
        self.now: str = config.get("now", "2026-01-21T07:40")
        self.counters: dict[str, int] = {
            "pipe": len(self.pipes),
            "substation": len(self.substations),
            "request": len(self.requests),
            "shut_off": len(self.shut_offs),
            "heater": len(self.heaters),
            "protection": len(self.protections),
            "forecast": len(self.forecasts),
            "meter": len(self.meters),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._pipes_by_upstream: dict[Any, dict[str, Pipe]] = {}
        self._substations_by_pipe: dict[Any, dict[str, Substation]] = {}
        self._requests_by_substation_status: dict[Any, dict[str, Request]] = {}
        self._shut_offs_by_pipe: dict[Any, dict[str, ShutOff]] = {}
        self._shut_offs_by_pipe_status: dict[Any, dict[str, ShutOff]] = {}
        self._shut_offs_by_status: dict[Any, dict[str, ShutOff]] = {}
        self._protections_by_heater: dict[Any, dict[str, Protection]] = {}
        self._protections_by_shut_off: dict[Any, dict[str, Protection]] = {}
        self._protections_by_shut_off_heater: dict[Any, dict[str, Protection]] = {}
        self._protections_by_shut_off_substation: dict[Any, dict[str, Protection]] = {}
        self._protections_by_substation: dict[Any, dict[str, Protection]] = {}
        self._forecasts_by_day: dict[Any, dict[str, Forecast]] = {}
        for pipe in self.pipes.values():
            self._link("pipes", pipe)
        for substation in self.substations.values():
            self._link("substations", substation)
        for request in self.requests.values():
            self._link("requests", request)
        for shut_off in self.shut_offs.values():
            self._link("shut_offs", shut_off)
        for protection in self.protections.values():
            self._link("protections", protection)
        for forecast in self.forecasts.values():
            self._link("forecasts", forecast)

    def way_to_plant(
        self,
        substation_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The pipes between a substation and the plant, the nearest first, with what is left on each.

        Args:
            substation_id (str): Id of the substation, such as SUBSTATION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pipes": records}} or {"success": False, "error": why
                not}
        """
        substation = self.substations.get(substation_id)
        if substation is None:
            return _refused(f"There is no substation {substation_id!r}.")
        found = [p for p in self._path(self.pipes[substation["pipe_id"]])]
        return _found(
            {
                "total": len(found),
                "pipes": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "capacity": p["capacity"],
                        "load": self._pipe_load(p),
                        "left": self._pipe_left(p),
                        "shut": p["shut"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def shut_offs_ahead(
        self,
        pipe_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Planned shut-offs in the order of their start, with frost on the day and hospitals or sensitive places that
        get cold.

        Args:
            pipe_id (str, optional): Only shut-offs of this pipe; an id such as PIPE-00001. If left out, the
                shut-offs of all pipes are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shut_offs": records}} or {"success": False, "error":
                why not}
        """
        pipe = self.pipes.get(pipe_id) if pipe_id is not None else None
        if pipe_id is not None and pipe is None:
            return _refused(f"There is no pipe {pipe_id!r}.")
        found = [
            w
            for w in self._shut_offs_by_status.get("planned", {}).values()
            if (pipe_id is None or w["pipe_id"] == pipe_id)
        ]
        found.sort(key=lambda w: (w["starts"], w["id"], _age(w)))
        return _found(
            {
                "total": len(found),
                "shut_offs": [
                    {
                        "id": w["id"],
                        "pipe": self.pipes[w["pipe_id"]]["name"],
                        "starts": w["starts"],
                        "lasts": w["lasts"],
                        "frost": self._frosty(w),
                        "care": [
                            *[
                                s["name"]
                                for s in sorted(
                                    _distinct(
                                        [
                                            s
                                            for key in [
                                                w["pipe_id"],
                                                *[
                                                    record["id"]
                                                    for record in _below(
                                                        self._pipes_by_upstream,
                                                        self.pipes[w["pipe_id"]],
                                                    )
                                                ],
                                            ]
                                            for s in self._substations_by_pipe.get(key, {}).values()
                                        ]
                                    ),
                                    key=_age,
                                )
                                if s["care"] != "none"
                            ]
                        ],
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def heaters_for(
        self,
        shut_off_id: str,
        substation_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Heaters that are strong enough and free for a substation during a shut-off, the weakest first.

        Args:
            shut_off_id (str): Id of the shut off, such as SO-00001.
            substation_id (str): Id of the substation, such as SUBSTATION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "heaters": records}} or {"success": False, "error": why
                not}
        """
        shut_off = self.shut_offs.get(shut_off_id)
        if shut_off is None:
            return _refused(f"There is no shut off {shut_off_id!r}.")
        substation = self.substations.get(substation_id)
        if substation is None:
            return _refused(f"There is no substation {substation_id!r}.")
        found = [h for h in self.heaters.values() if self._serves(h, substation, shut_off)]
        found.sort(key=lambda h: (h["kw"], h["code"], _age(h)))
        return _found(
            {
                "total": len(found),
                "heaters": [{"id": h["id"], "code": h["code"], "kw": h["kw"]} for h in _page(found, offset)],
            }
        )

    def list_pipes(
        self,
        name: Text | None = None,
        upstream_id: str | None = None,
        shut: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pipes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pipes whose name contains this text.
            upstream_id (str, optional): Only pipes whose upstream is this pipe.
            shut (bool, optional): Only pipes that are shut (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pipes": records}}
        """
        if upstream_id is not None and upstream_id not in self.pipes:
            return _refused(f"There is no pipe {upstream_id!r}.")
        found = [
            pipe
            for pipe in self.pipes.values()
            if (name is None or name.casefold() in pipe["name"].casefold())
            and (upstream_id is None or pipe["upstream_id"] == upstream_id)
            and (shut is None or pipe["shut"] == shut)
        ]
        shown = [self._show_pipe(pipe) for pipe in _page(found, offset)]
        return _found({"total": len(found), "pipes": shown}, self._names_of_pipes(shown))

    def list_substations(
        self,
        name: Text | None = None,
        pipe_id: str | None = None,
        care: Literal["none", "sensitive", "hospital"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the substations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only substations whose name contains this text.
            pipe_id (str, optional): Only substations of this pipe.
            care (str, optional): Only substations with this care.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "substations": records}}
        """
        if pipe_id is not None and pipe_id not in self.pipes:
            return _refused(f"There is no pipe {pipe_id!r}.")
        found = [
            substation
            for substation in self.substations.values()
            if (name is None or name.casefold() in substation["name"].casefold())
            and (pipe_id is None or substation["pipe_id"] == pipe_id)
            and (care is None or substation["care"] == care)
        ]
        shown = [{**substation} for substation in _page(found, offset)]
        return _found({"total": len(found), "substations": shown}, self._names_of_substations(shown))

    def list_requests(
        self,
        substation_id: str | None = None,
        status: Literal["waiting", "granted", "refused"] | None = None,
        asked_at_from: Date | None = None,
        asked_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requests, oldest first, all of them or only some.

        Args:
            substation_id (str, optional): Only requests of this substation.
            status (str, optional): Only requests with this status.
            asked_at_from (str, optional): Only requests whose `asked_at` is on this day or later.
            asked_at_to (str, optional): Only requests whose `asked_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requests": records}}
        """
        if substation_id is not None and substation_id not in self.substations:
            return _refused(f"There is no substation {substation_id!r}.")
        found = [
            request
            for request in self.requests.values()
            if (substation_id is None or request["substation_id"] == substation_id)
            and (status is None or request["status"] == status)
            and (asked_at_from is None or request["asked_at"][:10] >= asked_at_from)
            and (asked_at_to is None or request["asked_at"][:10] <= asked_at_to)
        ]
        shown = [self._show_request(request) for request in _page(found, offset)]
        return _found({"total": len(found), "requests": shown}, self._names_of_requests(shown))

    def list_shut_offs(
        self,
        pipe_id: str | None = None,
        status: Literal["planned", "under_way", "cancelled", "ended"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shut offs, oldest first, all of them or only some.

        Args:
            pipe_id (str, optional): Only shut offs of this pipe.
            status (str, optional): Only shut offs with this status.
            starts_from (str, optional): Only shut offs whose `starts` is on this day or later.
            starts_to (str, optional): Only shut offs whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shut_offs": records}}
        """
        if pipe_id is not None and pipe_id not in self.pipes:
            return _refused(f"There is no pipe {pipe_id!r}.")
        found = [
            shut_off
            for shut_off in self.shut_offs.values()
            if (pipe_id is None or shut_off["pipe_id"] == pipe_id)
            and (status is None or shut_off["status"] == status)
            and (starts_from is None or shut_off["starts"][:10] >= starts_from)
            and (starts_to is None or shut_off["starts"][:10] <= starts_to)
        ]
        shown = [self._show_shut_off(shut_off) for shut_off in _page(found, offset)]
        return _found({"total": len(found), "shut_offs": shown}, self._names_of_shut_offs(shown))

    def list_heaters(
        self,
        code: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the heaters, oldest first, all of them or only some.

        Args:
            code (str, optional): Only heaters whose code contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "heaters": records}}
        """
        found = [
            heater
            for heater in self.heaters.values()
            if (code is None or code.casefold() in heater["code"].casefold())
        ]
        return _found({"total": len(found), "heaters": [{**heater} for heater in _page(found, offset)]})

    def list_protections(
        self,
        shut_off_id: str | None = None,
        substation_id: str | None = None,
        heater_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the protections, oldest first, all of them or only some.

        Args:
            shut_off_id (str, optional): Only protections of this shut off.
            substation_id (str, optional): Only protections of this substation.
            heater_id (str, optional): Only protections of this heater.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "protections": records}}
        """
        if shut_off_id is not None and shut_off_id not in self.shut_offs:
            return _refused(f"There is no shut off {shut_off_id!r}.")
        if substation_id is not None and substation_id not in self.substations:
            return _refused(f"There is no substation {substation_id!r}.")
        if heater_id is not None and heater_id not in self.heaters:
            return _refused(f"There is no heater {heater_id!r}.")
        found = [
            protection
            for protection in self.protections.values()
            if (shut_off_id is None or protection["shut_off_id"] == shut_off_id)
            and (substation_id is None or protection["substation_id"] == substation_id)
            and (heater_id is None or protection["heater_id"] == heater_id)
        ]
        shown = [{**protection} for protection in _page(found, offset)]
        return _found({"total": len(found), "protections": shown}, self._names_of_protections(shown))

    def list_forecasts(
        self,
        day_from: Date | None = None,
        day_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the forecasts, oldest first, all of them or only some.

        Args:
            day_from (str, optional): Only forecasts whose `day` is on this day or later.
            day_to (str, optional): Only forecasts whose `day` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "forecasts": records}}
        """
        found = [
            forecast
            for forecast in self.forecasts.values()
            if (day_from is None or forecast["day"] >= day_from)
            and (day_to is None or forecast["day"] <= day_to)
        ]
        return _found({"total": len(found), "forecasts": [{**forecast} for forecast in _page(found, offset)]})

    def list_meters(
        self,
        serial: Text | None = None,
        substation_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meters, oldest first, all of them or only some.

        Args:
            serial (str, optional): Only meters whose serial contains this text.
            substation_id (str, optional): Only meters of this substation.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meters": records}}
        """
        if substation_id is not None and substation_id not in self.substations:
            return _refused(f"There is no substation {substation_id!r}.")
        found = [
            meter
            for meter in self.meters.values()
            if (serial is None or serial.casefold() in meter["serial"].casefold())
            and (substation_id is None or meter["substation_id"] == substation_id)
        ]
        shown = [{**meter} for meter in _page(found, offset)]
        return _found({"total": len(found), "meters": shown}, self._names_of_meters(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_capacity(self, substation_id: str, more: Annotated[int, {"minimum": 1, "maximum": 1000}]) -> Result:
        """Put the wish of a substation for more capacity into the queue of its pipe.

        Args:
            substation_id (str): Id of the substation, such as SUBSTATION-00001.
            more (int): Capacity wanted in addition, in kilowatts, from 1 to 1000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        substation = self.substations.get(substation_id)
        if substation is None:
            return _refused(f"There is no substation {substation_id!r}.")
        if self._requests_by_substation_status.get((substation_id, "waiting"), {}):
            return _refused(f"{substation['name']} has a request waiting already.")
        if substation["contracted"] + more > 2000:
            return _refused("No substation gets more than 2,000 kW.")
        self._journal = []
        request: Request = {
            "id": self._new_id("request", "REQUEST", self.requests),
            "substation_id": substation_id,
            "more": more,
            "asked_at": self.now,
            "status": "waiting",
        }
        self._add("requests", request)
        if self._breaks_rule_2(request):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: request {more} kW more for {substation['name']} (new: request {request['id']}).",
            "data": {"request_id": request["id"], **self._changes()},
        }

    def grant_request(self, request_id: str) -> Result:
        """Grant the oldest waiting request of a pipe, where every pipe up to the plant has room for it.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        if request["status"] != "waiting":
            return _refused(
                f"The request of {self.substations[request['substation_id']]['name']} is {request['status']}."
            )
        older = min(
            (
                r
                for r in self._waiting_for(self.pipes[self.substations[request["substation_id"]]["pipe_id"]])
                if r is not request
                and r["asked_at"] < request["asked_at"]
            ),
            key=lambda r: (r["asked_at"], _age(r)),
            default=None,
        )
        if older is not None:
            return _refused(
                f"{self.substations[older['substation_id']]['name']} on the same pipe asked before and has to be "
                "decided first."
            )
        tight = min(
            (
                p
                for p in self._path(self.pipes[self.substations[request["substation_id"]]["pipe_id"]])
                if self._pipe_left(p) < request["more"]
            ),
            key=lambda p: (self._pipe_left(p), _age(p)),
            default=None,
        )
        if tight is not None:
            return _refused(f"{tight['name']} has {self._pipe_left(tight)} kW left, not {request['more']}.")
        weak = next(
            (
                x
                for x in sorted(self._protections_by_substation.get(request["substation_id"], {}).values(), key=_age)
                if self._pending(self.shut_offs[x["shut_off_id"]])
                and self.heaters[x["heater_id"]]["kw"] * 2 < self.substations[
                    request["substation_id"]
                ]["contracted"] + request["more"]
            ),
            None,
        )
        if weak is not None:
            return _refused(
                f"Heater {self.heaters[weak['heater_id']]['code']}, which is promised to "
                f"{self.substations[request['substation_id']]['name']} for the shut-off of "
                f"{self.pipes[self.shut_offs[weak['shut_off_id']]['pipe_id']]['name']}, would be too weak then."
            )
        self._journal = []
        substation = self.substations[request["substation_id"]]
        contracted = self.substations[request["substation_id"]]["contracted"] + request["more"]
        if not 5 <= contracted <= 2000:
            return self._take_back(f"The contracted of {substation['name']} must be between 5 and 2000.")
        self._put("substations", substation, "contracted", contracted)
        self._put("requests", request, "status", "granted")
        for one_pipe in _distinct(
            [self.pipes[substation["pipe_id"]], *_above(self.pipes, self.pipes[substation["pipe_id"]], "upstream_id")]
        ):
            if self._breaks_rule_1(one_pipe):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(request):
            return self._take_back(RULES[1])
        for one_protection in _distinct(self._protections_by_substation.get(substation["id"], {}).values()):
            if self._breaks_rule_7(one_protection):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: grant {request['more']} kW more to {self.substations[request['substation_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def refuse_request(self, request_id: str) -> Result:
        """Refuse a waiting request.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        if request["status"] != "waiting":
            return _refused(
                f"The request of {self.substations[request['substation_id']]['name']} is {request['status']}."
            )
        self._journal = []
        self._put("requests", request, "status", "refused")
        if self._breaks_rule_2(request):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: refuse the request of {self.substations[request['substation_id']]['name']}.",
            "data": self._changes(),
        }

    def reduce_capacity(self, substation_id: str, less: Annotated[int, {"minimum": 1, "maximum": 1900}]) -> Result:
        """Lower what a substation has contracted.

        Args:
            substation_id (str): Id of the substation, such as SUBSTATION-00001.
            less (int): Capacity that is taken off the contract, in kilowatts, from 1 to 1900.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        substation = self.substations.get(substation_id)
        if substation is None:
            return _refused(f"There is no substation {substation_id!r}.")
        if substation["contracted"] - less < 5:
            return _refused(f"{substation['name']} has {substation['contracted']} kW, and 5 are the least.")
        self._journal = []
        contracted = substation["contracted"] - less
        if not 5 <= contracted <= 2000:
            return self._take_back(f"The contracted of {substation['name']} must be between 5 and 2000.")
        self._put("substations", substation, "contracted", contracted)
        for one_pipe in _distinct(
            [self.pipes[substation["pipe_id"]], *_above(self.pipes, self.pipes[substation["pipe_id"]], "upstream_id")]
        ):
            if self._breaks_rule_1(one_pipe):
                return self._take_back(RULES[0])
        for one_protection in _distinct(self._protections_by_substation.get(substation["id"], {}).values()):
            if self._breaks_rule_7(one_protection):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: take {less} kW off {substation['name']}.",
            "data": self._changes(),
        }

    def plan_shut_off(
        self,
        pipe_id: str,
        starts: DateTime,
        lasts: Annotated[int, {"minimum": 1, "maximum": 12}],
        reason: Text,
        burst: bool = False,
    ) -> Result:
        """Plan the shut-off of a pipe at least two days ahead, or sooner where it has burst; everything behind it
        gets cold.

        Args:
            pipe_id (str): Id of the pipe, such as PIPE-00001.
            starts (str): Start of the shut-off, two days ahead unless the pipe has burst, as YYYY-MM-DDTHH:MM.
            lasts (int): Duration of the shut-off in hours, from 1 to 12.
            reason (str): Why the pipe is shut off.
            burst (bool): Whether the pipe has burst, so that it may be shut sooner. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pipe = self.pipes.get(pipe_id)
        if pipe is None:
            return _refused(f"There is no pipe {pipe_id!r}.")
        if not (burst or _plus_minutes(self.now, 2 * 1440) <= starts):
            return _refused("Customers are told two days ahead; only a pipe that has burst is shut sooner.")
        if self.now > starts or starts > _plus_minutes(self.now, 60 * 1440):
            return _refused("A shut-off begins within the next sixty days.")
        clash = next(
            (
                w
                for w in sorted(
                    _distinct(
                        [
                            w
                            for key in [
                                pipe_id,
                                *[record["id"] for record in _above(self.pipes, pipe, "upstream_id")],
                                pipe_id,
                                *[record["id"] for record in _below(self._pipes_by_upstream, pipe)],
                            ]
                            for w in self._shut_offs_by_pipe.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if self._pending(w)
                and _overlap(w["starts"], self._shut_off_ends(w), starts, _plus_minutes(starts, lasts * 60))
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"{self.pipes[clash['pipe_id']]['name']} is shut from {clash['starts']} to "
                f"{self._shut_off_ends(clash)}, and the two feed each other."
            )
        self._journal = []
        shut_off: ShutOff = {
            "id": self._new_id("shut_off", "SO", self.shut_offs),
            "pipe_id": pipe_id,
            "starts": starts,
            "lasts": lasts,
            "reason": reason,
            "lowest": None,
            "status": "planned",
        }
        self._add("shut_offs", shut_off)
        if self._breaks_rule_3_a(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.pipes[shut_off["pipe_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shut_off):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_w(shut_off):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: plan to shut {pipe['name']} at {starts} for {lasts} hours (new: shut off {shut_off['id']})."
            ),
            "data": {"shut_off_id": shut_off["id"], **self._changes()},
        }

    def place_heater(self, shut_off_id: str, substation_id: str, heater_id: str) -> Result:
        """Set a mobile heater aside for a substation that a planned shut-off leaves cold.

        Args:
            shut_off_id (str): Id of the shut off, such as SO-00001.
            substation_id (str): Id of the substation, such as SUBSTATION-00001.
            heater_id (str): Id of the heater, such as HEATER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shut_off = self.shut_offs.get(shut_off_id)
        if shut_off is None:
            return _refused(f"There is no shut off {shut_off_id!r}.")
        substation = self.substations.get(substation_id)
        if substation is None:
            return _refused(f"There is no substation {substation_id!r}.")
        heater = self.heaters.get(heater_id)
        if heater is None:
            return _refused(f"There is no heater {heater_id!r}.")
        if shut_off["status"] != "planned":
            return _refused(f"The shut-off of {self.pipes[shut_off['pipe_id']]['name']} is {shut_off['status']}.")
        if not self._cold(substation, shut_off):
            return _refused(
                f"{substation['name']} keeps its heat while {self.pipes[shut_off['pipe_id']]['name']} is shut."
            )
        if self._protected(substation, shut_off):
            return _refused(f"{substation['name']} has a heater for it already.")
        if heater["kw"] * 2 < substation["contracted"]:
            return _refused(
                f"Heater {heater['code']} gives {heater['kw']} kW and {substation['name']} needs half of "
                f"{substation['contracted']}."
            )
        if self._protections_by_shut_off_heater.get((shut_off_id, heater_id), {}):
            return _refused(f"Heater {heater['code']} goes to another substation of this shut-off.")
        other = self._elsewhere(heater, shut_off)
        if other is not None:
            return _refused(
                f"Heater {heater['code']} is at {self.substations[other['substation_id']]['name']} at that time."
            )
        self._journal = []
        protection: Protection = {
            "id": self._new_id("protection", "PROTECTION", self.protections),
            "shut_off_id": shut_off_id,
            "substation_id": substation_id,
            "heater_id": heater_id,
        }
        self._add("protections", protection)
        if self._breaks_rule_6_w(self.shut_offs[protection["shut_off_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_s(self.substations[protection["substation_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(protection):
            return self._take_back(RULES[6])
        for one_protection in _distinct(
            [protection, *self._protections_by_heater.get(protection["heater_id"], {}).values()]
        ):
            if self._breaks_rule_8_x(one_protection):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_x_again(protection):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_x(protection):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_x_again(protection):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: place heater {heater['code']} at {substation['name']} while "
                f"{self.pipes[shut_off['pipe_id']]['name']} is shut (new: protection {protection['id']})."
            ),
            "data": {"protection_id": protection["id"], **self._changes()},
        }

    def begin_shut_off(self, shut_off_id: str) -> Result:
        """Shut a pipe once its window has come, and on that day only, with heaters wherever a hospital or frost
        demands them.

        Args:
            shut_off_id (str): Id of the shut off, such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shut_off = self.shut_offs.get(shut_off_id)
        if shut_off is None:
            return _refused(f"There is no shut off {shut_off_id!r}.")
        if shut_off["status"] != "planned":
            return _refused(f"The shut-off of {self.pipes[shut_off['pipe_id']]['name']} is {shut_off['status']}.")
        if shut_off["starts"] > self.now:
            return _refused(
                f"The shut-off of {self.pipes[shut_off['pipe_id']]['name']} begins at {shut_off['starts']}."
            )
        if self.now[:10] > self._shut_off_ends(shut_off)[:10]:
            return _refused(
                f"The window of {self.pipes[shut_off['pipe_id']]['name']} was over on "
                f"{self._shut_off_ends(shut_off)[:10]}, so cancel it and plan another."
            )
        lowest = self._frost_on(shut_off["starts"][:10])
        if lowest is None:
            return _refused(f"There is no forecast for {shut_off['starts'][:10]}, so enter one.")
        bare = next(
            (
                s
                for s in sorted(
                    _distinct(
                        [
                            s
                            for key in [
                                shut_off["pipe_id"],
                                *[
                                    record["id"]
                                    for record in _below(self._pipes_by_upstream, self.pipes[shut_off["pipe_id"]])
                                ],
                            ]
                            for s in self._substations_by_pipe.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if self._needs_heater(s, shut_off, lowest)
                and not self._protected(s, shut_off)
            ),
            None,
        )
        if bare is not None:
            return _refused(f"{bare['name']} needs a mobile heater first, with {lowest} degrees expected.")
        if self.pipes[shut_off["pipe_id"]]["shut"]:
            return _refused(f"{self.pipes[shut_off['pipe_id']]['name']} is shut already.")
        self._journal = []
        if not -30 <= lowest <= 20:
            return self._take_back(f"The lowest of {shut_off['id']} must be between -30 and 20.")
        self._put("shut_offs", shut_off, "lowest", lowest)
        pipe = self.pipes[shut_off["pipe_id"]]
        self._put("pipes", pipe, "shut", True)
        self._put("shut_offs", shut_off, "status", "under_way")
        if self._breaks_rule_3_a(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(pipe):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.pipes[shut_off["pipe_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shut_off):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_w(shut_off):
            return self._take_back(RULES[5])
        for one_protection in _distinct(self._protections_by_shut_off.get(shut_off["id"], {}).values()):
            if self._breaks_rule_7(one_protection):
                return self._take_back(RULES[6])
        for one_protection in _distinct(
            [
                *self._protections_by_shut_off.get(shut_off["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.heaters[one["heater_id"]]
                        for one in self._protections_by_shut_off.get(shut_off["id"], {}).values()
                    ]
                    for user in self._protections_by_heater.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_x(one_protection):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: shut {self.pipes[shut_off['pipe_id']]['name']}.",
            "data": self._changes(),
        }

    def end_shut_off(self, shut_off_id: str) -> Result:
        """Open a pipe again; its heaters become free.

        Args:
            shut_off_id (str): Id of the shut off, such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shut_off = self.shut_offs.get(shut_off_id)
        if shut_off is None:
            return _refused(f"There is no shut off {shut_off_id!r}.")
        if shut_off["status"] != "under_way":
            return _refused(f"The shut-off of {self.pipes[shut_off['pipe_id']]['name']} is {shut_off['status']}.")
        self._journal = []
        pipe = self.pipes[shut_off["pipe_id"]]
        self._put("pipes", pipe, "shut", False)
        self._put("shut_offs", shut_off, "status", "ended")
        if self._breaks_rule_3_a(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(pipe):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.pipes[shut_off["pipe_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shut_off):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_w(shut_off):
            return self._take_back(RULES[5])
        for one_protection in _distinct(self._protections_by_shut_off.get(shut_off["id"], {}).values()):
            if self._breaks_rule_7(one_protection):
                return self._take_back(RULES[6])
        for one_protection in _distinct(
            [
                *self._protections_by_shut_off.get(shut_off["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.heaters[one["heater_id"]]
                        for one in self._protections_by_shut_off.get(shut_off["id"], {}).values()
                    ]
                    for user in self._protections_by_heater.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_x(one_protection):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: open {self.pipes[shut_off['pipe_id']]['name']} again.",
            "data": self._changes(),
        }

    def cancel_shut_off(self, shut_off_id: str) -> Result:
        """Cancel a planned shut-off; its heaters become free.

        Args:
            shut_off_id (str): Id of the shut off, such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shut_off = self.shut_offs.get(shut_off_id)
        if shut_off is None:
            return _refused(f"There is no shut off {shut_off_id!r}.")
        if shut_off["status"] != "planned":
            return _refused(f"The shut-off of {self.pipes[shut_off['pipe_id']]['name']} is {shut_off['status']}.")
        self._journal = []
        deleted_protections: list[Any] = []
        for x in sorted(self._protections_by_shut_off.get(shut_off_id, {}).values(), key=_age):
            if x["id"] in self.protections:
                self._remove("protections", x)
            deleted_protections.append(x)
        self._put("shut_offs", shut_off, "status", "cancelled")
        if self._breaks_rule_3_a(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(shut_off):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.pipes[shut_off["pipe_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shut_off):
            return self._take_back(RULES[4])
        for one_shut_off in _distinct(
            [shut_off, *[self.shut_offs[one["shut_off_id"]] for one in deleted_protections]]
        ):
            if self._breaks_rule_6_w(one_shut_off):
                return self._take_back(RULES[5])
        for one_substation in _distinct([self.substations[one["substation_id"]] for one in deleted_protections]):
            if self._breaks_rule_6_s(one_substation):
                return self._take_back(RULES[5])
        for one_protection in _distinct(self._protections_by_shut_off.get(shut_off["id"], {}).values()):
            if one_protection["id"] in self.protections and self._breaks_rule_7(one_protection):
                return self._take_back(RULES[6])
        for one_protection in _distinct(
            [
                *[
                    user
                    for one in [self.heaters[one["heater_id"]] for one in deleted_protections]
                    for user in self._protections_by_heater.get(one["id"], {}).values()
                ],
                *self._protections_by_shut_off.get(shut_off["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.heaters[one["heater_id"]]
                        for one in self._protections_by_shut_off.get(shut_off["id"], {}).values()
                    ]
                    for user in self._protections_by_heater.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_protection["id"] in self.protections and self._breaks_rule_8_x(one_protection):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: cancel the shut-off of {self.pipes[shut_off['pipe_id']]['name']} at {shut_off['starts']}."
            ),
            "data": self._changes(),
        }

    def read_meter(self, meter_id: str, mwh: Annotated[int, {"minimum": 0, "maximum": 999999}]) -> Result:
        """Enter what the meter of a substation shows today, in megawatt-hours.

        Args:
            meter_id (str): Id of the meter, such as METER-00001.
            mwh (int): Reading of the meter in megawatt-hours, not below the last one, from 0 to 999999.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meter = self.meters.get(meter_id)
        if meter is None:
            return _refused(f"There is no meter {meter_id!r}.")
        if mwh < meter["mwh"]:
            return _refused(f"Meter {meter['serial']} showed {meter['mwh']} before and cannot show {mwh}.")
        if meter["read_on"] >= self.now[:10]:
            return _refused(f"Meter {meter['serial']} was read today.")
        if mwh - meter["mwh"] > self._most_mwh(meter, self.now[:10]):
            return _refused(
                f"With {self.substations[meter['substation_id']]['contracted']} kW at most "
                f"{self._most_mwh(meter, self.now[:10])} MWh can have flowed since {meter['read_on']}."
            )
        self._journal = []
        self._put("meters", meter, "mwh", mwh)
        self._put("meters", meter, "read_on", self.now[:10])
        return {
            "success": True,
            "message": f"Done: read meter {meter['serial']} with {mwh} MWh.",
            "data": self._changes(),
        }

    def set_forecast(self, for_day: Date, lowest: Annotated[int, {"minimum": -30, "maximum": 20}]) -> Result:
        """Enter or change the lowest temperature that is expected for a day.

        Args:
            for_day (str): Day of the forecast, within the next 60 days, as YYYY-MM-DD.
            lowest (int): Lowest temperature expected, in degrees Celsius, from -30 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self.now[:10] > for_day or for_day > _plus_days(self.now[:10], 60):
            return _refused("A forecast is for the next sixty days.")
        self._journal = []
        added_forecasts: list[Any] = []
        if bool(self._forecasts_by_day.get(for_day, {})):
            for f in sorted(self._forecasts_by_day.get(for_day, {}).values(), key=_age):
                self._put("forecasts", f, "lowest", lowest)
        else:
            forecast = {"id": self._new_id("forecast", "FORECAST", self.forecasts), "day": for_day, "lowest": lowest}
            self._add("forecasts", forecast)
            added_forecasts.append(forecast)
        for one_forecast in added_forecasts:
            if len(self._forecasts_by_day.get(one_forecast["day"], {})) > 1:
                return self._take_back(f"There is already a forecast with the day {one_forecast['day']!r}.")
        return {"success": True, "message": f"Done: expect {lowest} degrees on {for_day}.", "data": self._changes()}

    def _show_pipe(self, pipe: Pipe) -> dict[str, Any]:
        """The pipe as an answer shows it."""
        return {**pipe, "load": self._pipe_load(pipe), "left": self._pipe_left(pipe)}

    def _show_request(self, request: Request) -> dict[str, Any]:
        """The request as an answer shows it."""
        return {**request, "fits": self._request_fits(request)}

    def _show_shut_off(self, shut_off: ShutOff) -> dict[str, Any]:
        """The shut off as an answer shows it."""
        return {**shut_off, "ends": self._shut_off_ends(shut_off)}

    def _names_of_pipes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pipes point to."""
        return _names((self.pipes, "name", [row["upstream_id"] for row in shown]))

    def _names_of_substations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that substations point to."""
        return _names((self.pipes, "name", [row["pipe_id"] for row in shown]))

    def _names_of_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that requests point to."""
        return _names((self.substations, "name", [row["substation_id"] for row in shown]))

    def _names_of_shut_offs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shut offs point to."""
        return _names((self.pipes, "name", [row["pipe_id"] for row in shown]))

    def _names_of_protections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that protections point to."""
        return _names(
            (self.substations, "name", [row["substation_id"] for row in shown]),
            (self.heaters, "code", [row["heater_id"] for row in shown]),
        )

    def _names_of_meters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meters point to."""
        return _names((self.substations, "name", [row["substation_id"] for row in shown]))

    def _pipe_load(self, pipe: Pipe) -> int:
        """The load of a pipe."""
        return (
            sum(s["contracted"] for s in self._substations_by_pipe.get(pipe["id"], {}).values())
            + sum(
                s["contracted"]
                for p in _below(self._pipes_by_upstream, pipe)
                for s in self._substations_by_pipe.get(p["id"], {}).values()
            )
        )

    def _pipe_left(self, pipe: Pipe) -> int:
        """The left of a pipe."""
        return pipe["capacity"] - self._pipe_load(pipe)

    def _request_fits(self, request: Request) -> bool:
        """The fits of a request."""
        return request["more"] <= self._room(self.substations[request["substation_id"]])

    def _shut_off_ends(self, shut_off: ShutOff) -> str:
        """The ends of a shut off."""
        return _plus_minutes(shut_off["starts"], shut_off["lasts"] * 60)

    def _path(self, p: Pipe) -> list[Pipe]:
        return [p] + _above(self.pipes, p, "upstream_id")

    def _room(self, s: Substation) -> int:
        return (
            min((self._pipe_left(p) for p in self._path(self.pipes[s["pipe_id"]])), default=None)
            if min((self._pipe_left(p) for p in self._path(self.pipes[s["pipe_id"]])), default=None) is not None
            else 0
        )

    def _pending(self, w: ShutOff) -> bool:
        return w["status"] in ("planned", "under_way")

    def _cold(self, s: Substation, w: ShutOff) -> bool:
        return self.pipes[w["pipe_id"]] in self._path(self.pipes[s["pipe_id"]])

    def _related(self, a: Pipe, b: Pipe) -> bool:
        return a in self._path(b) or b in self._path(a)

    def _frost_on(self, d: str) -> int | None:
        return next((f["lowest"] for f in sorted(self._forecasts_by_day.get(d, {}).values(), key=_age)), None)

    def _protected(self, s: Substation, w: ShutOff) -> bool:
        return bool(self._protections_by_shut_off_substation.get((w["id"], s["id"]), {}))

    def _needs_heater(self, s: Substation, w: ShutOff, lowest: int) -> bool:
        return (
            self._cold(s, w)
            and (s["care"] == "hospital" or s["care"] == "sensitive" and lowest <= -5 and w["lasts"] > 4)
        )

    def _elsewhere(self, h: Heater, w: ShutOff) -> Protection | None:
        return next(
            (
                x
                for x in sorted(self._protections_by_heater.get(h["id"], {}).values(), key=_age)
                if x["shut_off_id"] != w["id"]
                and self._pending(self.shut_offs[x["shut_off_id"]])
                and _overlap(
                    self.shut_offs[x["shut_off_id"]]["starts"],
                    self._shut_off_ends(self.shut_offs[x["shut_off_id"]]),
                    w["starts"],
                    self._shut_off_ends(w),
                )
            ),
            None,
        )

    def _frosty(self, w: ShutOff) -> bool:
        return any(f["lowest"] <= -5 for f in self._forecasts_by_day.get(w["starts"][:10], {}).values())

    def _serves(self, h: Heater, s: Substation, w: ShutOff) -> bool:
        return (
            h["kw"] * 2 >= s["contracted"]
            and self._elsewhere(h, w) is None
            and not self._protections_by_shut_off_heater.get((w["id"], h["id"]), {})
        )

    def _waiting_for(self, p: Pipe) -> list[Request]:
        return sorted(
            [
                r
                for _substation in self._substations_by_pipe.get(p["id"], {}).values()
                for r in self._requests_by_substation_status.get((_substation["id"], "waiting"), {}).values()
            ],
            key=_age,
        )

    def _most_mwh(self, m: Meter, d: str) -> int:
        return ceil(
            Fraction(
                self.substations[m["substation_id"]]["contracted"] * 24 * max(1, _days_between(m["read_on"], d)),
                1000,
            )
        )

    def _breaks_rule_1(self, p: Pipe) -> bool:
        """Whether this is broken: what is contracted behind a pipe never exceeds its capacity."""
        return self._pipe_load(p) > p["capacity"]

    def _breaks_rule_2(self, r: Request) -> bool:
        """Whether this is broken: a substation has one request waiting at a time."""
        return (
            r["status"] == "waiting"
            and any(
                other_r is not r
                for other_r in self._requests_by_substation_status.get((r["substation_id"], "waiting"), {}).values()
            )
        )

    def _breaks_rule_3_a(self, a: ShutOff) -> bool:
        """Whether this is broken: shut-offs on pipes that feed each other are never at the same time."""
        return (
            self._pending(a)
            and any(
                self._related(self.pipes[a["pipe_id"]], self.pipes[b["pipe_id"]])
                and _overlap(a["starts"], self._shut_off_ends(a), b["starts"], self._shut_off_ends(b))
                for b in self.shut_offs.values()
                if a is not b
                and self._pending(b)
            )
        )

    def _breaks_rule_3_b(self, b: ShutOff) -> bool:
        """Whether this is broken: shut-offs on pipes that feed each other are never at the same time."""
        return (
            self._pending(b)
            and any(
                self._related(self.pipes[a["pipe_id"]], self.pipes[b["pipe_id"]])
                and _overlap(a["starts"], self._shut_off_ends(a), b["starts"], self._shut_off_ends(b))
                for a in self.shut_offs.values()
                if a is not b
                and self._pending(a)
            )
        )

    def _breaks_rule_4(self, p: Pipe) -> bool:
        """Whether this is broken: a pipe is shut while a shut-off on it is under way, and only then."""
        return p["shut"] != bool(self._shut_offs_by_pipe_status.get((p["id"], "under_way"), {}))

    def _breaks_rule_5(self, w: ShutOff) -> bool:
        """Whether this is broken: a shut-off that has begun knows the lowest temperature of its day, and no other
        does.
        """
        return (w["lowest"] is not None) != (w["status"] in ("under_way", "ended"))

    def _breaks_rule_6_w(self, w: ShutOff) -> bool:
        """Whether this is broken: a hospital is never without heat, and nobody sensitive for more than four hours of
        frost.
        """
        return any(
            not (
                w["lowest"] is None
                or w["status"] != "under_way"
                or not self._needs_heater(s, w, w["lowest"])
                or self._protected(s, w)
            )
            for s in self.substations.values()
        )

    def _breaks_rule_6_s(self, s: Substation) -> bool:
        """Whether this is broken: a hospital is never without heat, and nobody sensitive for more than four hours of
        frost.
        """
        return any(
            not (
                w["lowest"] is None
                or w["status"] != "under_way"
                or not self._needs_heater(s, w, w["lowest"])
                or self._protected(s, w)
            )
            for w in self.shut_offs.values()
        )

    def _breaks_rule_7(self, x: Protection) -> bool:
        """Whether this is broken: a mobile heater has at least half of what the substation has contracted."""
        return (
            self._pending(self.shut_offs[x["shut_off_id"]])
            and self.heaters[x["heater_id"]]["kw"] * 2 < self.substations[x["substation_id"]]["contracted"]
        )

    def _breaks_rule_8_x(self, x: Protection) -> bool:
        """Whether this is broken: a mobile heater is in one place at a time."""
        return (
            self._pending(self.shut_offs[x["shut_off_id"]])
            and self._elsewhere(self.heaters[x["heater_id"]], self.shut_offs[x["shut_off_id"]]) is not None
        )

    def _breaks_rule_8_x_again(self, x: Protection) -> bool:
        """Whether this is broken: a mobile heater is in one place at a time."""
        return any(
            other_x is not x
            for other_x in self._protections_by_shut_off_heater.get((x["shut_off_id"], x["heater_id"]), {}).values()
        )

    def _breaks_rule_9_x(self, x: Protection) -> bool:
        """Whether this is broken: heaters go to substations that the shut-off leaves cold, one to each."""
        return not self._cold(self.substations[x["substation_id"]], self.shut_offs[x["shut_off_id"]])

    def _breaks_rule_9_x_again(self, x: Protection) -> bool:
        """Whether this is broken: heaters go to substations that the shut-off leaves cold, one to each."""
        return any(
            other_x is not x
            for other_x in self._protections_by_shut_off_substation.get(
                (x["shut_off_id"], x["substation_id"]),
                {},
            ).values()
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
            case "pipes":
                self._pipes_by_upstream.setdefault(record["upstream_id"], {})[record["id"]] = record
            case "substations":
                self._substations_by_pipe.setdefault(record["pipe_id"], {})[record["id"]] = record
            case "requests":
                self._requests_by_substation_status.setdefault(
                    (record["substation_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "shut_offs":
                self._shut_offs_by_pipe.setdefault(record["pipe_id"], {})[record["id"]] = record
                self._shut_offs_by_pipe_status.setdefault(
                    (record["pipe_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._shut_offs_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "protections":
                self._protections_by_heater.setdefault(record["heater_id"], {})[record["id"]] = record
                self._protections_by_shut_off.setdefault(record["shut_off_id"], {})[record["id"]] = record
                self._protections_by_shut_off_heater.setdefault(
                    (record["shut_off_id"], record["heater_id"]),
                    {},
                )[record["id"]] = record
                self._protections_by_shut_off_substation.setdefault(
                    (record["shut_off_id"], record["substation_id"]),
                    {},
                )[record["id"]] = record
                self._protections_by_substation.setdefault(record["substation_id"], {})[record["id"]] = record
            case "forecasts":
                self._forecasts_by_day.setdefault(record["day"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "pipes":
                del self._pipes_by_upstream[record["upstream_id"]][record["id"]]
            case "substations":
                del self._substations_by_pipe[record["pipe_id"]][record["id"]]
            case "requests":
                del self._requests_by_substation_status[record["substation_id"], record["status"]][record["id"]]
            case "shut_offs":
                del self._shut_offs_by_pipe[record["pipe_id"]][record["id"]]
                del self._shut_offs_by_pipe_status[record["pipe_id"], record["status"]][record["id"]]
                del self._shut_offs_by_status[record["status"]][record["id"]]
            case "protections":
                del self._protections_by_heater[record["heater_id"]][record["id"]]
                del self._protections_by_shut_off[record["shut_off_id"]][record["id"]]
                del self._protections_by_shut_off_heater[record["shut_off_id"], record["heater_id"]][record["id"]]
                del self._protections_by_shut_off_substation[record["shut_off_id"], record["substation_id"]][record["id"]]
                del self._protections_by_substation[record["substation_id"]][record["id"]]
            case "forecasts":
                del self._forecasts_by_day[record["day"]][record["id"]]
