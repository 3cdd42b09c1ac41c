"""Airport stands. Compiled from blueprint.yaml; run `envscaler build airport_stands` after changing it there.

Plans the stands and gates of an airport, with turnarounds by aircraft size, tows between stands, neighbouring
stands that limit each other, gate changes, delays and closures.
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
    "A stand has one aircraft at a time.",
    "An aircraft is no wider than its stand.",
    "Two neighbouring stands never hold more wingspan than they can together.",
    "The turnarounds of an aircraft do not overlap.",
    "A parking lies within its turnaround, and the parkings of a turnaround do not overlap.",
    "An aircraft stays at least as long as its type needs.",
    "A gate boards one flight at a time.",
    "A flight boards at a gate that serves its last stand.",
    "A flight that goes abroad boards at a gate with passport control.",
    "Nothing is planned for a closed stand.",
    "A tug is strong enough for its tow and has half an hour for each.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_turnaround",
    "restand",
    "assign_gate",
    "plan_tow",
    "cancel_tow",
    "delay_flight",
    "cancel_turnaround",
    "block_on",
    "block_off",
    "close_stand",
    "reopen_stand",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "stands": ("code",),
    "neighbours": (),
    "gates": ("code",),
    "aircraft_types": ("code",),
    "aircraft": ("registration",),
    "tugs": ("name",),
    "turnarounds": ("flight",),
    "parkings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("neighbours", "one_id"),
    ("neighbours", "other_id"),
    ("parkings", "stand_id"),
    ("parkings", "tug_id"),
    ("parkings", "turnaround_id"),
    ("turnarounds", "aircraft_id"),
    ("turnarounds", "flight"),
    ("turnarounds", "gate_id"),
    ("turnarounds", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Stand(TypedDict):
    id: str
    code: str
    widest: int
    contact: bool
    closed_for: str | None


class Neighbour(TypedDict):
    id: str
    one_id: str
    other_id: str
    together: int


class Gate(TypedDict):
    id: str
    code: str
    stand_ids: list[str]
    passports: bool


class AircraftType(TypedDict):
    id: str
    code: str
    span: int
    ground_minutes: int


class Aircraft(TypedDict):
    id: str
    registration: str
    type_id: str
    airline: Literal["norbird", "skanwing", "lakair", "marmara", "zephyr", "okapi", "druid"]


class Tug(TypedDict):
    id: str
    name: str
    pulls: int


class Turnaround(TypedDict):
    id: str
    flight: str
    aircraft_id: str
    arrives: str
    leaves: str
    gate_id: str | None
    abroad: bool
    status: Literal["planned", "on_stand", "cancelled", "gone"]


class Parking(TypedDict):
    id: str
    turnaround_id: str
    stand_id: str
    since: str
    until: str
    tug_id: str | None


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class AirportStands:
    """Plans the stands and gates of an airport, with turnarounds by aircraft size, tows between stands,
    neighbouring stands that limit each other, gate changes, delays and closures.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stands: dict[str, Stand] = _copied(config.get("stands", {}))
        self.neighbours: dict[str, Neighbour] = _copied(config.get("neighbours", {}))
        self.gates: dict[str, Gate] = _copied(config.get("gates", {}))
        self.aircraft_types: dict[str, AircraftType] = _copied(config.get("aircraft_types", {}))
        self.aircraft: dict[str, Aircraft] = _copied(config.get("aircraft", {}))
        self.tugs: dict[str, Tug] = _copied(config.get("tugs", {}))
        self.turnarounds: dict[str, Turnaround] = _copied(config.get("turnarounds", {}))
        self.parkings: dict[str, Parking] = _copied(config.get("parkings", {}))
        self.now: str = config.get("now", "2026-07-14T11:20")
        self.counters: dict[str, int] = {
            "stand": len(self.stands),
            "neighbour": len(self.neighbours),
            "gate": len(self.gates),
            "aircraft_type": len(self.aircraft_types),
            "aircraft": len(self.aircraft),
            "tug": len(self.tugs),
            "turnaround": len(self.turnarounds),
            "parking": len(self.parkings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._neighbours_by_one: dict[Any, dict[str, Neighbour]] = {}
        self._neighbours_by_other: dict[Any, dict[str, Neighbour]] = {}
        self._turnarounds_by_aircraft: dict[Any, dict[str, Turnaround]] = {}
        self._turnarounds_by_flight: dict[Any, dict[str, Turnaround]] = {}
        self._turnarounds_by_gate: dict[Any, dict[str, Turnaround]] = {}
        self._turnarounds_by_status: dict[Any, dict[str, Turnaround]] = {}
        self._parkings_by_stand: dict[Any, dict[str, Parking]] = {}
        self._parkings_by_tug: dict[Any, dict[str, Parking]] = {}
        self._parkings_by_turnaround: dict[Any, dict[str, Parking]] = {}
        for neighbour in self.neighbours.values():
            self._link("neighbours", neighbour)
        for turnaround in self.turnarounds.values():
            self._link("turnarounds", turnaround)
        for parking in self.parkings.values():
            self._link("parkings", parking)

    def free_stands(
        self,
        aircraft_id: str,
        since: DateTime,
        until: DateTime,
        contact: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Stands on which an aircraft may stand for some time, the narrowest first.

        Args:
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.
            since (str): When the aircraft would come onto the stand, as YYYY-MM-DDTHH:MM.
            until (str): When the aircraft would leave the stand, as YYYY-MM-DDTHH:MM.
            contact (bool, optional): Whether stands at the terminal are listed rather than remote ones. If left
                out, both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stands": records}} or {"success": False, "error": why
                not}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if since >= until:
            return _refused(f"The end must come after {since}.")
        found = [
            s
            for s in self.stands.values()
            if self._fits(aircraft, s, since, until, None)
            and (contact is None or s["contact"] == contact)
        ]
        found.sort(key=lambda s: (s["widest"], s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stands": [
                    {"id": s["id"], "code": s["code"], "widest": s["widest"], "contact": s["contact"]}
                    for s in _page(found, offset)
                ],
            }
        )

    def gates_for(self, turnaround_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Gates at which a flight may board as things are.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gates": records}} or {"success": False, "error": why
                not}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        found = [g for g in self.gates.values() if self._gate_open(g, turnaround)]
        found.sort(key=lambda g: (g["code"], _age(g)))
        return _found(
            {"total": len(found), "gates": [{"id": g["id"], "code": g["code"]} for g in _page(found, offset)]}
        )

    def stand_day(
        self,
        stand_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What stands on a stand on a day, in order of time.

        Args:
            stand_id (str): Id of the stand, such as STAND-00001.
            on (str): Day that is looked at, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parkings": records}} or {"success": False, "error": why
                not}
        """
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        found = [
            p
            for p in self._parkings_by_stand.get(stand_id, {}).values()
            if (
                p["stand_id"] == stand_id
                and (p["since"][:10] <= on and on <= p["until"][:10])
                and self._live(self.turnarounds[p["turnaround_id"]])
            )
        ]
        found.sort(key=lambda p: (p["since"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parkings": [
                    {
                        "id": p["id"],
                        "flight": self.turnarounds[p["turnaround_id"]]["flight"],
                        "aircraft": self.aircraft[
                            self.turnarounds[p["turnaround_id"]]["aircraft_id"]
                        ]["registration"],
                        "span": self.aircraft_types[
                            self.aircraft[self.turnarounds[p["turnaround_id"]]["aircraft_id"]]["type_id"]
                        ]["span"],
                        "since": p["since"],
                        "until": p["until"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_stands(
        self,
        code: Text | None = None,
        contact: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stands, oldest first, all of them or only some.

        Args:
            code (str, optional): Only stands whose code contains this text.
            contact (bool, optional): Only stands with this value of `contact`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stands": records}}
        """
        found = [
            stand
            for stand in self.stands.values()
            if (code is None or code.casefold() in stand["code"].casefold())
            and (contact is None or stand["contact"] == contact)
        ]
        return _found({"total": len(found), "stands": [{**stand} for stand in _page(found, offset)]})

    def list_neighbours(
        self,
        one_id: str | None = None,
        other_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the neighbours, oldest first, all of them or only some.

        Args:
            one_id (str, optional): Only neighbours whose one is this stand.
            other_id (str, optional): Only neighbours whose other is this stand.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "neighbours": records}}
        """
        if one_id is not None and one_id not in self.stands:
            return _refused(f"There is no stand {one_id!r}.")
        if other_id is not None and other_id not in self.stands:
            return _refused(f"There is no stand {other_id!r}.")
        found = [
            neighbour
            for neighbour in self.neighbours.values()
            if (one_id is None or neighbour["one_id"] == one_id)
            and (other_id is None or neighbour["other_id"] == other_id)
        ]
        shown = [{**neighbour} for neighbour in _page(found, offset)]
        return _found({"total": len(found), "neighbours": shown}, self._names_of_neighbours(shown))

    def list_gates(
        self,
        code: Text | None = None,
        passports: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the gates, oldest first, all of them or only some.

        Args:
            code (str, optional): Only gates whose code contains this text.
            passports (bool, optional): Only gates with this value of `passports`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gates": records}}
        """
        found = [
            gate
            for gate in self.gates.values()
            if (code is None or code.casefold() in gate["code"].casefold())
            and (passports is None or gate["passports"] == passports)
        ]
        shown = [self._show_gate(gate) for gate in _page(found, offset)]
        return _found({"total": len(found), "gates": shown}, self._names_of_gates(shown))

    def list_aircraft_types(
        self,
        code: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the aircraft types, oldest first, all of them or only some.

        Args:
            code (str, optional): Only aircraft types whose code contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "aircraft_types": records}}
        """
        found = [
            aircraft_type
            for aircraft_type in self.aircraft_types.values()
            if (code is None or code.casefold() in aircraft_type["code"].casefold())
        ]
        return _found(
            {"total": len(found), "aircraft_types": [{**aircraft_type} for aircraft_type in _page(found, offset)]}
        )

    def list_aircraft(
        self,
        registration: Text | None = None,
        type_id: str | None = None,
        airline: Literal["norbird", "skanwing", "lakair", "marmara", "zephyr", "okapi", "druid"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the aircraft, oldest first, all of them or only some.

        Args:
            registration (str, optional): Only aircraft whose registration contains this text.
            type_id (str, optional): Only aircraft whose type is this aircraft type.
            airline (str, optional): Only aircraft with this airline.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "aircraft": records}}
        """
        if type_id is not None and type_id not in self.aircraft_types:
            return _refused(f"There is no aircraft type {type_id!r}.")
        found = [
            aircraft
            for aircraft in self.aircraft.values()
            if (registration is None or registration.casefold() in aircraft["registration"].casefold())
            and (type_id is None or aircraft["type_id"] == type_id)
            and (airline is None or aircraft["airline"] == airline)
        ]
        shown = [{**aircraft} for aircraft in _page(found, offset)]
        return _found({"total": len(found), "aircraft": shown}, self._names_of_aircraft(shown))

    def list_tugs(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tugs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tugs whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tugs": records}}
        """
        found = [tug for tug in self.tugs.values() if (name is None or name.casefold() in tug["name"].casefold())]
        return _found({"total": len(found), "tugs": [{**tug} for tug in _page(found, offset)]})

    def list_turnarounds(
        self,
        flight: Text | None = None,
        aircraft_id: str | None = None,
        gate_id: str | None = None,
        abroad: bool | None = None,
        status: Literal["planned", "on_stand", "cancelled", "gone"] | None = None,
        arrives_from: Date | None = None,
        arrives_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the turnarounds, oldest first, all of them or only some.

        Args:
            flight (str, optional): Only turnarounds whose flight contains this text.
            aircraft_id (str, optional): Only turnarounds of this aircraft.
            gate_id (str, optional): Only turnarounds of this gate.
            abroad (bool, optional): Only turnarounds with this value of `abroad`.
            status (str, optional): Only turnarounds with this status.
            arrives_from (str, optional): Only turnarounds whose `arrives` is on this day or later.
            arrives_to (str, optional): Only turnarounds whose `arrives` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "turnarounds": records}}
        """
        if aircraft_id is not None and aircraft_id not in self.aircraft:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        if gate_id is not None and gate_id not in self.gates:
            return _refused(f"There is no gate {gate_id!r}.")
        found = [
            turnaround
            for turnaround in self.turnarounds.values()
            if (flight is None or flight.casefold() in turnaround["flight"].casefold())
            and (aircraft_id is None or turnaround["aircraft_id"] == aircraft_id)
            and (gate_id is None or turnaround["gate_id"] == gate_id)
            and (abroad is None or turnaround["abroad"] == abroad)
            and (status is None or turnaround["status"] == status)
            and (arrives_from is None or turnaround["arrives"][:10] >= arrives_from)
            and (arrives_to is None or turnaround["arrives"][:10] <= arrives_to)
        ]
        shown = [self._show_turnaround(turnaround) for turnaround in _page(found, offset)]
        return _found({"total": len(found), "turnarounds": shown}, self._names_of_turnarounds(shown))

    def list_parkings(
        self,
        turnaround_id: str | None = None,
        stand_id: str | None = None,
        tug_id: str | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parkings, oldest first, all of them or only some.

        Args:
            turnaround_id (str, optional): Only parkings of this turnaround.
            stand_id (str, optional): Only parkings of this stand.
            tug_id (str, optional): Only parkings of this tug.
            since_from (str, optional): Only parkings whose `since` is on this day or later.
            since_to (str, optional): Only parkings whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parkings": records}}
        """
        if turnaround_id is not None and turnaround_id not in self.turnarounds:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        if stand_id is not None and stand_id not in self.stands:
            return _refused(f"There is no stand {stand_id!r}.")
        if tug_id is not None and tug_id not in self.tugs:
            return _refused(f"There is no tug {tug_id!r}.")
        found = [
            parking
            for parking in self.parkings.values()
            if (turnaround_id is None or parking["turnaround_id"] == turnaround_id)
            and (stand_id is None or parking["stand_id"] == stand_id)
            and (tug_id is None or parking["tug_id"] == tug_id)
            and (since_from is None or parking["since"][:10] >= since_from)
            and (since_to is None or parking["since"][:10] <= since_to)
        ]
        shown = [{**parking} for parking in _page(found, offset)]
        return _found({"total": len(found), "parkings": shown}, self._names_of_parkings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_turnaround(
        self,
        flight: Text,
        aircraft_id: str,
        stand_id: str,
        arrives: DateTime,
        leaves: DateTime,
        abroad: bool = False,
    ) -> Result:
        """Plan the turnaround of an aircraft on a stand.

        Args:
            flight (str): Flight number of the turnaround, not in use yet.
            aircraft_id (str): Id of the aircraft, such as AIRCRAFT-00001.
            stand_id (str): Id of the stand, such as STAND-00001.
            arrives (str): When the aircraft comes onto the stand, not in the past, as YYYY-MM-DDTHH:MM.
            leaves (str): When the aircraft leaves, within 16 hours and after the ground time its type needs, as
                YYYY-MM-DDTHH:MM.
            abroad (bool): Whether the flight goes abroad, so that its gate needs passport control. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        aircraft = self.aircraft.get(aircraft_id)
        if aircraft is None:
            return _refused(f"There is no aircraft {aircraft_id!r}.")
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        if self._turnarounds_by_flight.get(flight, {}):
            return _refused(f"There is a turnaround of {flight} already.")
        if self.now > arrives:
            return _refused(f"{arrives} is in the past.")
        if leaves <= arrives:
            return _refused("A flight leaves after it has arrived.")
        if _minutes_between(arrives, leaves) > 16 * 60:
            return _refused("Stays above 16 hours belong to the hangar plan.")
        if _minutes_between(arrives, leaves) < self.aircraft_types[aircraft["type_id"]]["ground_minutes"]:
            return _refused(
                f"A {self.aircraft_types[aircraft['type_id']]['code']} needs "
                f"{self.aircraft_types[aircraft['type_id']]['ground_minutes']} minutes on the ground."
            )
        other = next(
            (
                t
                for t in sorted(self._turnarounds_by_aircraft.get(aircraft_id, {}).values(), key=_age)
                if self._live(t)
                and _overlap(t["arrives"], t["leaves"], arrives, leaves)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{aircraft['registration']} turns round as {other['flight']} from {other['arrives']} to "
                f"{other['leaves']}."
            )
        if stand["closed_for"] is not None:
            return _refused(f"Stand {stand['code']} is closed.")
        if self.aircraft_types[aircraft["type_id"]]["span"] > stand["widest"]:
            return _refused(
                f"Stand {stand['code']} takes wingspans up to {stand['widest']} m and {aircraft['registration']} "
                f"has {self.aircraft_types[aircraft['type_id']]['span']} m."
            )
        taken = self._clash(stand, arrives, leaves, None)
        if taken is not None:
            return _refused(
                f"Stand {stand['code']} is taken by {self.turnarounds[taken['turnaround_id']]['flight']} from "
                f"{taken['since']} to {taken['until']}."
            )
        near = self._clash(stand, _plus_minutes(arrives, -15), _plus_minutes(leaves, 15), None)
        if near is not None:
            return _refused(
                f"Stand {stand['code']} needs 15 minutes between two aircraft, and "
                f"{self.turnarounds[near['turnaround_id']]['flight']} is there from {near['since']} to "
                f"{near['until']}."
            )
        tight = self._squeeze(stand, aircraft, arrives, leaves, None)
        if tight is not None:
            return _refused(
                f"With {self.turnarounds[tight['turnaround_id']]['flight']} on stand "
                f"{self.stands[tight['stand_id']]['code']}, stand {stand['code']} is too narrow for "
                f"{aircraft['registration']}."
            )
        self._journal = []
        made: Turnaround = {
            "id": self._new_id("turnaround", "TURNAROUND", self.turnarounds),
            "flight": flight,
            "aircraft_id": aircraft_id,
            "arrives": arrives,
            "leaves": leaves,
            "gate_id": None,
            "abroad": abroad,
            "status": "planned",
        }
        self._add("turnarounds", made)
        parking: Parking = {
            "id": self._new_id("parking", "PARKING", self.parkings),
            "turnaround_id": made["id"],
            "stand_id": stand_id,
            "since": arrives,
            "until": leaves,
            "tug_id": None,
        }
        self._add("parkings", parking)
        if len(self._turnarounds_by_flight.get(made["flight"], {})) > 1:
            return self._take_back(f"There is already a turnaround with the flight {made['flight']!r}.")
        if self._breaks_rule_1(parking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(parking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(parking):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(parking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(made):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_p(parking):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p_again(parking):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(made):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(made):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_o(made):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(made):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(self.turnarounds[parking["turnaround_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(made):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(parking):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_p(parking):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(parking):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_q(parking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: plan {flight} with {aircraft['registration']} on stand {stand['code']} from {arrives} to "
                f"{leaves} (new: turnaround {made['id']}, parking {parking['id']})."
            ),
            "data": {"turnaround_id": made["id"], "parking_id": parking["id"], **self._changes()},
        }

    def restand(self, turnaround_id: str, stand_id: str) -> Result:
        """Move a planned turnaround without tows to another stand; a gate that does not serve it is given up.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.
            stand_id (str): Id of the stand, such as STAND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        if turnaround["status"] != "planned":
            return _refused(f"{turnaround['flight']} is {turnaround['status']}; tow it instead.")
        old = self._turnaround_last(turnaround)
        if old is None or self._turnaround_tows(turnaround) != 0:
            return _refused(f"{turnaround['flight']} is to be towed; cancel the tow first.")
        if old["stand_id"] == stand_id:
            return _refused(f"{turnaround['flight']} is planned for stand {stand['code']} already.")
        if stand["closed_for"] is not None:
            return _refused(f"Stand {stand['code']} is closed.")
        if self.aircraft_types[self.aircraft[turnaround["aircraft_id"]]["type_id"]]["span"] > stand["widest"]:
            return _refused(
                f"Stand {stand['code']} takes wingspans up to {stand['widest']} m, and this one has "
                f"{self.aircraft_types[self.aircraft[turnaround['aircraft_id']]['type_id']]['span']} m."
            )
        taken = self._clash(stand, old["since"], old["until"], turnaround)
        if taken is not None:
            return _refused(
                f"Stand {stand['code']} is taken by {self.turnarounds[taken['turnaround_id']]['flight']} from "
                f"{taken['since']} to {taken['until']}."
            )
        near = self._clash(stand, _plus_minutes(old["since"], -15), _plus_minutes(old["until"], 15), turnaround)
        if near is not None:
            return _refused(
                f"Stand {stand['code']} needs 15 minutes between two aircraft, and "
                f"{self.turnarounds[near['turnaround_id']]['flight']} is there from {near['since']} to "
                f"{near['until']}."
            )
        tight = self._squeeze(stand, self.aircraft[turnaround["aircraft_id"]], old["since"], old["until"], turnaround)
        if tight is not None:
            return _refused(
                f"With {self.turnarounds[tight['turnaround_id']]['flight']} on stand "
                f"{self.stands[tight['stand_id']]['code']}, stand {stand['code']} is too narrow for "
                f"{turnaround['flight']}."
            )
        self._journal = []
        changed_turnarounds: list[Any] = []
        self._put("parkings", old, "stand_id", stand_id)
        if turnaround["gate_id"] is not None and stand_id not in self.gates[turnaround["gate_id"]]["stand_ids"]:
            changed_turnarounds.append(turnaround)
            self._put("turnarounds", turnaround, "gate_id", None)
        if self._breaks_rule_1(old):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(old):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(old):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(old):
            return self._take_back(RULES[2])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_7_t(one_turnaround):
                return self._take_back(RULES[6])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_7_o(one_turnaround):
                return self._take_back(RULES[6])
        for one_turnaround in _distinct([self.turnarounds[old["turnaround_id"]], *changed_turnarounds]):
            if self._breaks_rule_8(one_turnaround):
                return self._take_back(RULES[7])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_9(one_turnaround):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(old):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: move {turnaround['flight']} to stand {stand['code']}.",
            "data": self._changes(),
        }

    def assign_gate(self, turnaround_id: str, gate_id: str) -> Result:
        """Let a flight board at a gate that serves its last stand.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.
            gate_id (str): Id of the gate, such as GATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        gate = self.gates.get(gate_id)
        if gate is None:
            return _refused(f"There is no gate {gate_id!r}.")
        if turnaround["status"] not in ("planned", "on_stand"):
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        if turnaround["gate_id"] is not None and turnaround["gate_id"] == gate_id:
            return _refused(f"{turnaround['flight']} boards at {gate['code']} already.")
        place = self._turnaround_last(turnaround)
        if place is None:
            return _refused(f"{turnaround['flight']} has no stand.")
        if place["stand_id"] not in gate["stand_ids"]:
            return _refused(f"Gate {gate['code']} does not serve stand {self.stands[place['stand_id']]['code']}.")
        if not gate["passports"] and turnaround["abroad"]:
            return _refused(f"Gate {gate['code']} has no passport control, and {turnaround['flight']} goes abroad.")
        other = self._boarding(gate, turnaround["leaves"], turnaround)
        if other is not None:
            return _refused(f"{other['flight']} boards at {gate['code']} until {other['leaves']}.")
        self._journal = []
        self._put("turnarounds", turnaround, "gate_id", gate_id)
        if self._breaks_rule_7_t(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_o(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(turnaround):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(turnaround):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: let {turnaround['flight']} board at gate {gate['code']}.",
            "data": self._changes(),
        }

    def plan_tow(self, turnaround_id: str, stand_id: str, at: DateTime, tug_id: str) -> Result:
        """Plan the tow of an aircraft from its last stand to another one; a gate that does not serve it is given up.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.
            stand_id (str): Id of the stand, such as STAND-00001.
            at (str): When the aircraft changes stands, during its stay on the last one and not in the past, as
                YYYY-MM-DDTHH:MM.
            tug_id (str): Id of the tug, such as TUG-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        tug = self.tugs.get(tug_id)
        if tug is None:
            return _refused(f"There is no tug {tug_id!r}.")
        if turnaround["status"] not in ("planned", "on_stand"):
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        old = self._turnaround_last(turnaround)
        if old is None:
            return _refused(f"{turnaround['flight']} has no stand.")
        if self.now > at:
            return _refused(f"{at} is in the past.")
        if old["since"] >= at or at >= old["until"]:
            return _refused(
                f"{turnaround['flight']} stands on {self.stands[old['stand_id']]['code']} from {old['since']} to "
                f"{old['until']}."
            )
        if old["stand_id"] == stand_id:
            return _refused(f"{turnaround['flight']} stands on {stand['code']} as it is.")
        if self.aircraft_types[self.aircraft[turnaround["aircraft_id"]]["type_id"]]["span"] > tug["pulls"]:
            return _refused(
                f"{tug['name']} pulls wingspans up to {tug['pulls']} m, and this one has "
                f"{self.aircraft_types[self.aircraft[turnaround['aircraft_id']]['type_id']]['span']} m."
            )
        busy = self._towing(tug, at, None)
        if busy is not None:
            return _refused(
                f"{tug['name']} tows {self.turnarounds[busy['turnaround_id']]['flight']} until {busy['since']}."
            )
        if stand["closed_for"] is not None:
            return _refused(f"Stand {stand['code']} is closed.")
        if self.aircraft_types[self.aircraft[turnaround["aircraft_id"]]["type_id"]]["span"] > stand["widest"]:
            return _refused(
                f"Stand {stand['code']} takes wingspans up to {stand['widest']} m, and this one has "
                f"{self.aircraft_types[self.aircraft[turnaround['aircraft_id']]['type_id']]['span']} m."
            )
        taken = self._clash(stand, at, old["until"], turnaround)
        if taken is not None:
            return _refused(
                f"Stand {stand['code']} is taken by {self.turnarounds[taken['turnaround_id']]['flight']} from "
                f"{taken['since']} to {taken['until']}."
            )
        near = self._clash(stand, _plus_minutes(at, -15), _plus_minutes(old["until"], 15), turnaround)
        if near is not None:
            return _refused(
                f"Stand {stand['code']} needs 15 minutes between two aircraft, and "
                f"{self.turnarounds[near['turnaround_id']]['flight']} is there from {near['since']} to "
                f"{near['until']}."
            )
        tight = self._squeeze(stand, self.aircraft[turnaround["aircraft_id"]], at, old["until"], turnaround)
        if tight is not None:
            return _refused(
                f"With {self.turnarounds[tight['turnaround_id']]['flight']} on stand "
                f"{self.stands[tight['stand_id']]['code']}, stand {stand['code']} is too narrow for "
                f"{turnaround['flight']}."
            )
        self._journal = []
        changed_turnarounds: list[Any] = []
        ends = old["until"]
        self._put("parkings", old, "until", at)
        parking: Parking = {
            "id": self._new_id("parking", "PARKING", self.parkings),
            "turnaround_id": turnaround_id,
            "stand_id": stand_id,
            "since": at,
            "until": ends,
            "tug_id": tug_id,
        }
        self._add("parkings", parking)
        if turnaround["gate_id"] is not None and stand_id not in self.gates[turnaround["gate_id"]]["stand_ids"]:
            changed_turnarounds.append(turnaround)
            self._put("turnarounds", turnaround, "gate_id", None)
        if self._breaks_rule_1(old):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(parking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(parking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(old):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_p(parking):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(old):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q(parking):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_p(old):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p(parking):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p_again(old):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p_again(parking):
            return self._take_back(RULES[4])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_7_t(one_turnaround):
                return self._take_back(RULES[6])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_7_o(one_turnaround):
                return self._take_back(RULES[6])
        for one_turnaround in _distinct([self.turnarounds[parking["turnaround_id"]], *changed_turnarounds]):
            if self._breaks_rule_8(one_turnaround):
                return self._take_back(RULES[7])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_9(one_turnaround):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(parking):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_p(parking):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(parking):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_q(parking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: tow {turnaround['flight']} to stand {stand['code']} at {at} with {tug['name']} (new: "
                f"parking {parking['id']})."
            ),
            "data": {"parking_id": parking["id"], **self._changes()},
        }

    def cancel_tow(self, turnaround_id: str) -> Result:
        """Cancel the last tow of a turnaround that is still to come; the aircraft stays where it is until it leaves.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        if turnaround["status"] not in ("planned", "on_stand"):
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        late = self._turnaround_last(turnaround)
        if late is None or late["tug_id"] is None:
            return _refused(f"No tow is planned for {turnaround['flight']}.")
        if late["since"] <= self.now:
            return _refused(f"{turnaround['flight']} was towed at {late['since']}.")
        early = min(
            (p for p in self._parkings_by_turnaround.get(turnaround_id, {}).values() if p is not late),
            key=lambda p: (_descending(p["since"]), _age(p)),
            default=None,
        )
        if early is None:
            return _refused(f"{turnaround['flight']} has no stand before the tow.")
        taken = self._clash(self.stands[early["stand_id"]], early["since"], late["until"], turnaround)
        if taken is not None:
            return _refused(
                f"Stand {self.stands[early['stand_id']]['code']} is taken by "
                f"{self.turnarounds[taken['turnaround_id']]['flight']} from {taken['since']} to {taken['until']}; "
                "move that first."
            )
        tight = self._squeeze(
            self.stands[early["stand_id"]],
            self.aircraft[turnaround["aircraft_id"]],
            early["since"],
            late["until"],
            turnaround,
        )
        if tight is not None:
            return _refused(
                f"With {self.turnarounds[tight['turnaround_id']]['flight']} on stand "
                f"{self.stands[tight['stand_id']]['code']}, {turnaround['flight']} cannot stay on "
                f"{self.stands[early['stand_id']]['code']}."
            )
        self._journal = []
        changed_turnarounds: list[Any] = []
        ends = late["until"]
        self._remove("parkings", late)
        if early["id"] in self.parkings:
            self._put("parkings", early, "until", ends)
        if (
            turnaround["gate_id"] is not None
            and early["stand_id"] not in self.gates[turnaround["gate_id"]]["stand_ids"]
        ):
            changed_turnarounds.append(turnaround)
            self._put("turnarounds", turnaround, "gate_id", None)
        for one_parking in _distinct([early]):
            if one_parking["id"] in self.parkings and self._breaks_rule_1(one_parking):
                return self._take_back(RULES[0])
        for one_parking in _distinct([early]):
            if one_parking["id"] in self.parkings and self._breaks_rule_3_p(one_parking):
                return self._take_back(RULES[2])
        for one_parking in _distinct([early]):
            if one_parking["id"] in self.parkings and self._breaks_rule_3_q(one_parking):
                return self._take_back(RULES[2])
        for one_parking in _distinct([early]):
            if one_parking["id"] in self.parkings and self._breaks_rule_5_p(one_parking):
                return self._take_back(RULES[4])
        for one_parking in _distinct([early]):
            if one_parking["id"] in self.parkings and self._breaks_rule_5_p_again(one_parking):
                return self._take_back(RULES[4])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_7_t(one_turnaround):
                return self._take_back(RULES[6])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_7_o(one_turnaround):
                return self._take_back(RULES[6])
        for one_turnaround in _distinct([self.turnarounds[late["turnaround_id"]], *changed_turnarounds]):
            if self._breaks_rule_8(one_turnaround):
                return self._take_back(RULES[7])
        for one_turnaround in _distinct(changed_turnarounds):
            if self._breaks_rule_9(one_turnaround):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: cancel the tow of {turnaround['flight']}.",
            "data": self._changes(),
        }

    def delay_flight(self, turnaround_id: str, minutes: Annotated[int, {"minimum": 5, "maximum": 240}]) -> Result:
        """Delay a flight; one that has not arrived shifts as a whole, one on stand leaves later, and the quarter of
        an hour between two aircraft may be used up.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.
            minutes (int): Length of the delay in minutes, from 5 to 240.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        if turnaround["status"] not in ("planned", "on_stand"):
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        final = self._turnaround_last(turnaround)
        if final is None:
            return _refused(f"{turnaround['flight']} has no stand.")
        lead = minutes if turnaround["status"] == "planned" else 0
        taken = next(
            (
                q
                for p in sorted(self._parkings_by_turnaround.get(turnaround_id, {}).values(), key=_age)
                for q in sorted(self._parkings_by_stand.get(p["stand_id"], {}).values(), key=_age)
                if q["turnaround_id"] != turnaround_id
                and self._live(self.turnarounds[q["turnaround_id"]])
                and _overlap(
                    _plus_minutes(p["since"], lead),
                    _plus_minutes(p["until"], minutes if p is final else lead),
                    q["since"],
                    q["until"],
                )
            ),
            None,
        )
        if taken is not None:
            return _refused(
                f"Stand {self.stands[taken['stand_id']]['code']} is taken by "
                f"{self.turnarounds[taken['turnaround_id']]['flight']} from {taken['since']} to {taken['until']}; "
                "move that or this one first."
            )
        tight = next(
            (
                s
                for p in sorted(self._parkings_by_turnaround.get(turnaround_id, {}).values(), key=_age)
                for s in _those(self.stands, [p["stand_id"]])
                if self._squeeze(
                    s,
                    self.aircraft[turnaround["aircraft_id"]],
                    _plus_minutes(p["since"], lead),
                    _plus_minutes(p["until"], minutes if p is final else lead),
                    turnaround,
                ) is not None
            ),
            None,
        )
        if tight is not None:
            return _refused(f"A wide neighbour would stand beside {tight['code']} at that time.")
        next_trip = next(
            (
                o
                for o in sorted(self._turnarounds_by_aircraft.get(turnaround["aircraft_id"], {}).values(), key=_age)
                if o is not turnaround
                and self._live(o)
                and _overlap(
                    o["arrives"],
                    o["leaves"],
                    _plus_minutes(turnaround["arrives"], lead),
                    _plus_minutes(turnaround["leaves"], minutes),
                )
            ),
            None,
        )
        if next_trip is not None:
            return _refused(
                f"{self.aircraft[turnaround['aircraft_id']]['registration']} turns round as {next_trip['flight']} "
                f"from {next_trip['arrives']}."
            )
        other = next(
            (
                o
                for o in sorted(self._turnarounds_by_gate.get(turnaround["gate_id"], {}).values(), key=_age)
                if turnaround["gate_id"] is not None
                and o is not turnaround
                and self._live(o)
                and _overlap(
                    _plus_minutes(o["leaves"], -45),
                    o["leaves"],
                    _plus_minutes(_plus_minutes(turnaround["leaves"], minutes), -45),
                    _plus_minutes(turnaround["leaves"], minutes),
                )
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{other['flight']} boards at the same gate until {other['leaves']}; assign another gate first."
            )
        busy = next(
            (
                q
                for p in sorted(self._parkings_by_turnaround.get(turnaround_id, {}).values(), key=_age)
                if p["tug_id"] is not None
                and lead > 0
                for q in sorted(self._parkings_by_tug.get(p["tug_id"], {}).values(), key=_age)
                if q["tug_id"] is not None
                and q is not p
                and self._live(self.turnarounds[q["turnaround_id"]])
                and _overlap(
                    _plus_minutes(q["since"], -30),
                    q["since"],
                    _plus_minutes(_plus_minutes(p["since"], lead), -30),
                    _plus_minutes(p["since"], lead),
                )
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"The tug is needed for {self.turnarounds[busy['turnaround_id']]['flight']} at {busy['since']}."
            )
        self._journal = []
        changed_parkings: list[Any] = []
        changed_parkings_2: list[Any] = []
        self._put("turnarounds", turnaround, "arrives", _plus_minutes(turnaround["arrives"], lead))
        self._put("turnarounds", turnaround, "leaves", _plus_minutes(turnaround["leaves"], minutes))
        for p in sorted(self._parkings_by_turnaround.get(turnaround_id, {}).values(), key=_age):
            changed_parkings.append(p)
            self._put("parkings", p, "since", _plus_minutes(p["since"], lead))
            changed_parkings_2.append(p)
            self._put("parkings", p, "until", _plus_minutes(p["until"], minutes if p is final else lead))
        for one_parking in _distinct([*changed_parkings, *changed_parkings_2]):
            if self._breaks_rule_1(one_parking):
                return self._take_back(RULES[0])
        for one_parking in _distinct([*changed_parkings, *changed_parkings_2]):
            if self._breaks_rule_3_p(one_parking):
                return self._take_back(RULES[2])
        for one_parking in _distinct([*changed_parkings, *changed_parkings_2]):
            if self._breaks_rule_3_q(one_parking):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(turnaround):
            return self._take_back(RULES[3])
        for one_parking in _distinct(
            [*self._parkings_by_turnaround.get(turnaround["id"], {}).values(), *changed_parkings, *changed_parkings_2]
        ):
            if self._breaks_rule_5_p(one_parking):
                return self._take_back(RULES[4])
        for one_parking in _distinct([*changed_parkings, *changed_parkings_2]):
            if self._breaks_rule_5_p_again(one_parking):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(turnaround):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_o(turnaround):
            return self._take_back(RULES[6])
        for one_turnaround in _distinct([self.turnarounds[one["turnaround_id"]] for one in changed_parkings]):
            if self._breaks_rule_8(one_turnaround):
                return self._take_back(RULES[7])
        for one_parking in _distinct(changed_parkings):
            if self._breaks_rule_11_p_again(one_parking):
                return self._take_back(RULES[10])
        for one_parking in _distinct(changed_parkings):
            if self._breaks_rule_11_q(one_parking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: delay {turnaround['flight']} by {minutes} minutes.",
            "data": self._changes(),
        }

    def cancel_turnaround(self, turnaround_id: str) -> Result:
        """Cancel a turnaround before the aircraft has come.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        if turnaround["status"] != "planned":
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        self._journal = []
        deleted_parkings: list[Any] = []
        for p in sorted(self._parkings_by_turnaround.get(turnaround_id, {}).values(), key=_age):
            if p["id"] in self.parkings:
                self._remove("parkings", p)
            deleted_parkings.append(p)
        self._put("turnarounds", turnaround, "gate_id", None)
        self._put("turnarounds", turnaround, "status", "cancelled")
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_1(one_parking):
                return self._take_back(RULES[0])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_2(one_parking):
                return self._take_back(RULES[1])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_3_p(one_parking):
                return self._take_back(RULES[2])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_3_q(one_parking):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(turnaround):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(turnaround):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_o(turnaround):
            return self._take_back(RULES[6])
        for one_turnaround in _distinct(
            [turnaround, *[self.turnarounds[one["turnaround_id"]] for one in deleted_parkings]]
        ):
            if self._breaks_rule_8(one_turnaround):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(turnaround):
            return self._take_back(RULES[8])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_10(one_parking):
                return self._take_back(RULES[9])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_11_p_again(one_parking):
                return self._take_back(RULES[10])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if one_parking["id"] in self.parkings and self._breaks_rule_11_q(one_parking):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: cancel {turnaround['flight']}.", "data": self._changes()}

    def block_on(self, turnaround_id: str) -> Result:
        """Note that an aircraft has come onto its first stand.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        if turnaround["status"] != "planned":
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        if _plus_minutes(turnaround["arrives"], -30) > self.now:
            return _refused(f"{turnaround['flight']} is expected at {turnaround['arrives']}.")
        place = min(
            self._parkings_by_turnaround.get(turnaround_id, {}).values(),
            key=lambda p: (p["since"], _age(p)),
            default=None,
        )
        if place is None:
            return _refused(f"{turnaround['flight']} has no stand.")
        there = next(
            (
                o
                for o in sorted(self._turnarounds_by_status.get("on_stand", {}).values(), key=_age)
                if self._turnaround_last(o) is not None
                and self._turnaround_last(o)["stand_id"] == place["stand_id"]
                and self._turnaround_last(o)["since"] <= self.now
            ),
            None,
        )
        if there is not None:
            return _refused(f"{there['flight']} still stands on {self.stands[place['stand_id']]['code']}.")
        self._journal = []
        self._put("turnarounds", turnaround, "status", "on_stand")
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_1(one_parking):
                return self._take_back(RULES[0])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_2(one_parking):
                return self._take_back(RULES[1])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_3_p(one_parking):
                return self._take_back(RULES[2])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_3_q(one_parking):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(turnaround):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(turnaround):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_o(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(turnaround):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(turnaround):
            return self._take_back(RULES[8])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_10(one_parking):
                return self._take_back(RULES[9])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_11_p_again(one_parking):
                return self._take_back(RULES[10])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_11_q(one_parking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note {turnaround['flight']} on its stand.",
            "data": self._changes(),
        }

    def block_off(self, turnaround_id: str) -> Result:
        """Note that an aircraft has left; it needs a gate and must stand where it was to be towed last.

        Args:
            turnaround_id (str): Id of the turnaround, such as TURNAROUND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turnaround = self.turnarounds.get(turnaround_id)
        if turnaround is None:
            return _refused(f"There is no turnaround {turnaround_id!r}.")
        if turnaround["status"] != "on_stand":
            return _refused(f"{turnaround['flight']} is {turnaround['status']}.")
        if turnaround["gate_id"] is None:
            return _refused(f"{turnaround['flight']} has no gate.")
        if _plus_minutes(turnaround["leaves"], -45) > self.now:
            return _refused(f"{turnaround['flight']} leaves at {turnaround['leaves']}.")
        place = self._turnaround_last(turnaround)
        if place is None or place["since"] > self.now:
            return _refused(f"{turnaround['flight']} is still to be towed.")
        self._journal = []
        self._put("turnarounds", turnaround, "status", "gone")
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_1(one_parking):
                return self._take_back(RULES[0])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_2(one_parking):
                return self._take_back(RULES[1])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_3_p(one_parking):
                return self._take_back(RULES[2])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_3_q(one_parking):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(turnaround):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(turnaround):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_o(turnaround):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(turnaround):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(turnaround):
            return self._take_back(RULES[8])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_10(one_parking):
                return self._take_back(RULES[9])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_11_p_again(one_parking):
                return self._take_back(RULES[10])
        for one_parking in _distinct(self._parkings_by_turnaround.get(turnaround["id"], {}).values()):
            if self._breaks_rule_11_q(one_parking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note that {turnaround['flight']} has left.",
            "data": self._changes(),
        }

    def close_stand(self, stand_id: str, reason: Text) -> Result:
        """Close a stand for which nothing is planned any more.

        Args:
            stand_id (str): Id of the stand, such as STAND-00001.
            reason (str): Why the stand is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        if stand["closed_for"] is not None:
            return _refused(f"Stand {stand['code']} is closed already.")
        other = next(
            (
                p
                for p in sorted(self._parkings_by_stand.get(stand_id, {}).values(), key=_age)
                if self.turnarounds[p["turnaround_id"]]["status"] == "planned"
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.turnarounds[other['turnaround_id']]['flight']} is planned for stand {stand['code']} from "
                f"{other['since']}; move it first."
            )
        self._journal = []
        self._put("stands", stand, "closed_for", reason)
        for one_parking in _distinct(self._parkings_by_stand.get(stand["id"], {}).values()):
            if self._breaks_rule_10(one_parking):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: close stand {stand['code']} for {reason}.",
            "data": self._changes(),
        }

    def reopen_stand(self, stand_id: str) -> Result:
        """Reopen a closed stand.

        Args:
            stand_id (str): Id of the stand, such as STAND-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stand = self.stands.get(stand_id)
        if stand is None:
            return _refused(f"There is no stand {stand_id!r}.")
        if stand["closed_for"] is None:
            return _refused(f"Stand {stand['code']} is open.")
        self._journal = []
        self._put("stands", stand, "closed_for", None)
        for one_parking in _distinct(self._parkings_by_stand.get(stand["id"], {}).values()):
            if self._breaks_rule_10(one_parking):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: reopen stand {stand['code']}.", "data": self._changes()}

    def _show_gate(self, gate: Gate) -> dict[str, Any]:
        """The gate as an answer shows it."""
        return {**gate, "stand_ids": [*gate["stand_ids"]]}

    def _show_turnaround(self, turnaround: Turnaround) -> dict[str, Any]:
        """The turnaround as an answer shows it."""
        return {
            **turnaround,
            "last_id": _id_of(self._turnaround_last(turnaround)),
            "tows": self._turnaround_tows(turnaround),
        }

    def _names_of_neighbours(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that neighbours point to."""
        return _names(
            (self.stands, "code", [row["one_id"] for row in shown]),
            (self.stands, "code", [row["other_id"] for row in shown]),
        )

    def _names_of_gates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that gates point to."""
        return _names((self.stands, "code", [each for row in shown for each in row["stand_ids"]]))

    def _names_of_aircraft(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that aircraft point to."""
        return _names((self.aircraft_types, "code", [row["type_id"] for row in shown]))

    def _names_of_turnarounds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that turnarounds point to."""
        return _names(
            (self.aircraft, "registration", [row["aircraft_id"] for row in shown]),
            (self.gates, "code", [row["gate_id"] for row in shown]),
        )

    def _names_of_parkings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parkings point to."""
        return _names(
            (self.turnarounds, "flight", [row["turnaround_id"] for row in shown]),
            (self.stands, "code", [row["stand_id"] for row in shown]),
            (self.tugs, "name", [row["tug_id"] for row in shown]),
        )

    def _turnaround_last(self, turnaround: Turnaround) -> Parking | None:
        """The last of a turnaround."""
        return min(
            self._parkings_by_turnaround.get(turnaround["id"], {}).values(),
            key=lambda p: (_descending(p["since"]), _age(p)),
            default=None,
        )

    def _turnaround_tows(self, turnaround: Turnaround) -> int:
        """The tows of a turnaround."""
        return sum(
            1
            for p in self._parkings_by_turnaround.get(turnaround["id"], {}).values()
            if p["tug_id"] is not None
        )

    def _live(self, t: Turnaround) -> bool:
        return t["status"] in ("planned", "on_stand")

    def _clash(self, s: Stand, a: str, b: str, t: Turnaround | None) -> Parking | None:
        return next(
            (
                p
                for p in sorted(self._parkings_by_stand.get(s["id"], {}).values(), key=_age)
                if self.turnarounds[p["turnaround_id"]] is not t
                and self._live(self.turnarounds[p["turnaround_id"]])
                and _overlap(p["since"], p["until"], a, b)
            ),
            None,
        )

    def _squeeze(self, s: Stand, x: Aircraft, a: str, b: str, t: Turnaround | None) -> Parking | None:
        return next(
            (
                p
                for n in sorted(
                    _distinct(
                        [
                            *self._neighbours_by_one.get(s["id"], {}).values(),
                            *self._neighbours_by_other.get(s["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                for p in sorted(
                    self._parkings_by_stand.get(
                        n["other_id"] if n["one_id"] == s["id"] else n["one_id"],
                        {},
                    ).values(),
                    key=_age,
                )
                if self.turnarounds[p["turnaround_id"]] is not t
                and self._live(self.turnarounds[p["turnaround_id"]])
                and _overlap(p["since"], p["until"], a, b)
                and self.aircraft_types[
                    self.aircraft[self.turnarounds[p["turnaround_id"]]["aircraft_id"]]["type_id"]
                ]["span"] + self.aircraft_types[x["type_id"]]["span"] > n["together"]
            ),
            None,
        )

    def _fits(self, x: Aircraft, s: Stand, a: str, b: str, t: Turnaround | None) -> bool:
        return (
            s["closed_for"] is None
            and self.aircraft_types[x["type_id"]]["span"] <= s["widest"]
            and self._clash(s, _plus_minutes(a, -15), _plus_minutes(b, 15), t) is None
            and self._squeeze(s, x, a, b, t) is None
        )

    def _can_stay(self, x: Aircraft, s: Stand, a: str, b: str, t: Turnaround | None) -> bool:
        return (
            s["closed_for"] is None
            and self.aircraft_types[x["type_id"]]["span"] <= s["widest"]
            and self._clash(s, a, b, t) is None
            and self._squeeze(s, x, a, b, t) is None
        )

    def _boarding(self, g: Gate, leaves: str, t: Turnaround | None) -> Turnaround | None:
        return next(
            (
                o
                for o in sorted(self._turnarounds_by_gate.get(g["id"], {}).values(), key=_age)
                if o is not t
                and self._live(o)
                and _overlap(_plus_minutes(o["leaves"], -45), o["leaves"], _plus_minutes(leaves, -45), leaves)
            ),
            None,
        )

    def _towing(self, g: Tug, at: str, t: Turnaround | None) -> Parking | None:
        return next(
            (
                p
                for p in sorted(self._parkings_by_tug.get(g["id"], {}).values(), key=_age)
                if self.turnarounds[p["turnaround_id"]] is not t
                and self._live(self.turnarounds[p["turnaround_id"]])
                and _overlap(_plus_minutes(p["since"], -30), p["since"], _plus_minutes(at, -30), at)
            ),
            None,
        )

    def _gate_open(self, g: Gate, t: Turnaround) -> bool:
        return (
            self._turnaround_last(t) is not None
            and self._turnaround_last(t)["stand_id"] in g["stand_ids"]
            and self._boarding(g, t["leaves"], t) is None
            and (g["passports"] or not t["abroad"])
        )

    def _breaks_rule_1(self, p: Parking) -> bool:
        """Whether this is broken: a stand has one aircraft at a time."""
        return (
            self._live(self.turnarounds[p["turnaround_id"]])
            and any(
                _overlap(p["since"], p["until"], q["since"], q["until"])
                for q in self._parkings_by_stand.get(p["stand_id"], {}).values()
                if p is not q
                and self._live(self.turnarounds[q["turnaround_id"]])
            )
        )

    def _breaks_rule_2(self, p: Parking) -> bool:
        """Whether this is broken: an aircraft is no wider than its stand."""
        return (
            self._live(self.turnarounds[p["turnaround_id"]])
            and self.aircraft_types[
                self.aircraft[self.turnarounds[p["turnaround_id"]]["aircraft_id"]]["type_id"]
            ]["span"] > self.stands[p["stand_id"]]["widest"]
        )

    def _breaks_rule_3_p(self, p: Parking) -> bool:
        """Whether this is broken: two neighbouring stands never hold more wingspan than they can together."""
        return (
            self._live(self.turnarounds[p["turnaround_id"]])
            and any(
                self.aircraft_types[
                    self.aircraft[self.turnarounds[p["turnaround_id"]]["aircraft_id"]]["type_id"]
                ]["span"] + self.aircraft_types[
                    self.aircraft[self.turnarounds[q["turnaround_id"]]["aircraft_id"]]["type_id"]
                ]["span"] > n["together"]
                for n in self._neighbours_by_one.get(p["stand_id"], {}).values()
                for q in self._parkings_by_stand.get(n["other_id"], {}).values()
                if self._live(self.turnarounds[q["turnaround_id"]])
                and _overlap(p["since"], p["until"], q["since"], q["until"])
            )
        )

    def _breaks_rule_3_q(self, q: Parking) -> bool:
        """Whether this is broken: two neighbouring stands never hold more wingspan than they can together."""
        return (
            self._live(self.turnarounds[q["turnaround_id"]])
            and any(
                self.aircraft_types[
                    self.aircraft[self.turnarounds[p["turnaround_id"]]["aircraft_id"]]["type_id"]
                ]["span"] + self.aircraft_types[
                    self.aircraft[self.turnarounds[q["turnaround_id"]]["aircraft_id"]]["type_id"]
                ]["span"] > n["together"]
                for n in self._neighbours_by_other.get(q["stand_id"], {}).values()
                for p in self._parkings_by_stand.get(n["one_id"], {}).values()
                if self._live(self.turnarounds[p["turnaround_id"]])
                and _overlap(p["since"], p["until"], q["since"], q["until"])
            )
        )

    def _breaks_rule_4(self, t: Turnaround) -> bool:
        """Whether this is broken: the turnarounds of an aircraft do not overlap."""
        return (
            self._live(t)
            and any(
                _overlap(t["arrives"], t["leaves"], o["arrives"], o["leaves"])
                for o in self._turnarounds_by_aircraft.get(t["aircraft_id"], {}).values()
                if t is not o
                and self._live(o)
            )
        )

    def _breaks_rule_5_p(self, p: Parking) -> bool:
        """Whether this is broken: a parking lies within its turnaround, and the parkings of a turnaround do not
        overlap.
        """
        return (
            self.turnarounds[p["turnaround_id"]]["arrives"] > p["since"]
            or p["since"] >= p["until"]
            or p["until"] > self.turnarounds[p["turnaround_id"]]["leaves"]
        )

    def _breaks_rule_5_p_again(self, p: Parking) -> bool:
        """Whether this is broken: a parking lies within its turnaround, and the parkings of a turnaround do not
        overlap.
        """
        return any(
            _overlap(p["since"], p["until"], q["since"], q["until"])
            for q in self._parkings_by_turnaround.get(p["turnaround_id"], {}).values()
            if p is not q
        )

    def _breaks_rule_6(self, t: Turnaround) -> bool:
        """Whether this is broken: an aircraft stays at least as long as its type needs."""
        return (
            self._live(t)
            and _minutes_between(t["arrives"], t["leaves"]) < self.aircraft_types[
                self.aircraft[t["aircraft_id"]]["type_id"]
            ]["ground_minutes"]
        )

    def _breaks_rule_7_t(self, t: Turnaround) -> bool:
        """Whether this is broken: a gate boards one flight at a time."""
        return (
            t["gate_id"] is not None
            and self._live(t)
            and any(
                _overlap(_plus_minutes(t["leaves"], -45), t["leaves"], _plus_minutes(o["leaves"], -45), o["leaves"])
                for o in self._turnarounds_by_gate.get(t["gate_id"], {}).values()
                if t is not o
                and self._live(o)
            )
        )

    def _breaks_rule_7_o(self, o: Turnaround) -> bool:
        """Whether this is broken: a gate boards one flight at a time."""
        return (
            self._live(o)
            and any(
                _overlap(_plus_minutes(t["leaves"], -45), t["leaves"], _plus_minutes(o["leaves"], -45), o["leaves"])
                for t in self._turnarounds_by_gate.get(o["gate_id"], {}).values()
                if t is not o
                and t["gate_id"] is not None
                and self._live(t)
            )
        )

    def _breaks_rule_8(self, t: Turnaround) -> bool:
        """Whether this is broken: a flight boards at a gate that serves its last stand."""
        return (
            self._live(t)
            and not (
                t["gate_id"] is None
                or self._turnaround_last(t) is not None
                and self._turnaround_last(t)["stand_id"] in self.gates[t["gate_id"]]["stand_ids"]
            )
        )

    def _breaks_rule_9(self, t: Turnaround) -> bool:
        """Whether this is broken: a flight that goes abroad boards at a gate with passport control."""
        return (
            self._live(t)
            and (t["gate_id"] is not None and not self.gates[t["gate_id"]]["passports"] and t["abroad"])
        )

    def _breaks_rule_10(self, p: Parking) -> bool:
        """Whether this is broken: nothing is planned for a closed stand."""
        return (
            self.stands[p["stand_id"]]["closed_for"] is not None
            and self.turnarounds[p["turnaround_id"]]["status"] == "planned"
        )

    def _breaks_rule_11_p(self, p: Parking) -> bool:
        """Whether this is broken: a tug is strong enough for its tow and has half an hour for each."""
        return (
            p["tug_id"] is not None
            and self.aircraft_types[
                self.aircraft[self.turnarounds[p["turnaround_id"]]["aircraft_id"]]["type_id"]
            ]["span"] > self.tugs[p["tug_id"]]["pulls"]
        )

    def _breaks_rule_11_p_again(self, p: Parking) -> bool:
        """Whether this is broken: a tug is strong enough for its tow and has half an hour for each."""
        return (
            p["tug_id"] is not None
            and self._live(self.turnarounds[p["turnaround_id"]])
            and any(
                _overlap(_plus_minutes(p["since"], -30), p["since"], _plus_minutes(q["since"], -30), q["since"])
                for q in self._parkings_by_tug.get(p["tug_id"], {}).values()
                if p is not q
                and self._live(self.turnarounds[q["turnaround_id"]])
            )
        )

    def _breaks_rule_11_q(self, q: Parking) -> bool:
        """Whether this is broken: a tug is strong enough for its tow and has half an hour for each."""
        return (
            self._live(self.turnarounds[q["turnaround_id"]])
            and any(
                _overlap(_plus_minutes(p["since"], -30), p["since"], _plus_minutes(q["since"], -30), q["since"])
                for p in self._parkings_by_tug.get(q["tug_id"], {}).values()
                if p is not q
                and p["tug_id"] is not None
                and self._live(self.turnarounds[p["turnaround_id"]])
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
            case "neighbours":
                self._neighbours_by_one.setdefault(record["one_id"], {})[record["id"]] = record
                self._neighbours_by_other.setdefault(record["other_id"], {})[record["id"]] = record
            case "turnarounds":
                self._turnarounds_by_aircraft.setdefault(record["aircraft_id"], {})[record["id"]] = record
                self._turnarounds_by_flight.setdefault(record["flight"], {})[record["id"]] = record
                self._turnarounds_by_gate.setdefault(record["gate_id"], {})[record["id"]] = record
                self._turnarounds_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "parkings":
                self._parkings_by_stand.setdefault(record["stand_id"], {})[record["id"]] = record
                self._parkings_by_tug.setdefault(record["tug_id"], {})[record["id"]] = record
                self._parkings_by_turnaround.setdefault(record["turnaround_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "neighbours":
                del self._neighbours_by_one[record["one_id"]][record["id"]]
                del self._neighbours_by_other[record["other_id"]][record["id"]]
            case "turnarounds":
                del self._turnarounds_by_aircraft[record["aircraft_id"]][record["id"]]
                del self._turnarounds_by_flight[record["flight"]][record["id"]]
                del self._turnarounds_by_gate[record["gate_id"]][record["id"]]
                del self._turnarounds_by_status[record["status"]][record["id"]]
            case "parkings":
                del self._parkings_by_stand[record["stand_id"]][record["id"]]
                del self._parkings_by_tug[record["tug_id"]][record["id"]]
                del self._parkings_by_turnaround[record["turnaround_id"]][record["id"]]
