"""Bus depot. Compiled from blueprint.yaml; run `envscaler build bus_depot` after changing it there.

Covers the blocks of a bus depot twice over, with buses and with drivers, with driving time and rest, defects,
charging of electric buses and replacement in service.
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
    "A block is worked by one bus at a time, within its hours.",
    "A bus is in one place at a time.",
    "A charger takes one bus at a time, and only electric buses.",
    "An electric bus goes no further on a day than its range and what it was charged.",
    "An electric bus is never further on its way than its charge up to then allows.",
    "A bus with an unsafe defect is not in service until it is mended.",
    "Blocks for articulated buses get articulated buses, and drivers who are trained on them.",
    "A withdrawn block has no bus and no driver.",
    "The turns of a block do not overlap and lie within its hours.",
    "Nobody drives two turns at a time, or more than nine hours on a day.",
    "Nobody drives more than four and a half hours without half an hour of breaks.",
    "A driver rests for eleven hours between two days.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "allocate_bus",
    "change_over",
    "release_bus",
    "assign_driver",
    "relieve_driver",
    "split_turn",
    "add_block",
    "withdraw_block",
    "report_defect",
    "mend_defect",
    "plan_charging",
    "drop_charging",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "buses": ("number",),
    "chargers": ("label",),
    "chargings": (),
    "defects": (),
    "blocks": ("number",),
    "workings": (),
    "drivers": ("name",),
    "turns": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("blocks", "number"),
    ("chargings", "bus_id"),
    ("chargings", "charger_id"),
    ("defects", "bus_id"),
    ("defects", "what"),
    ("turns", "block_id"),
    ("turns", "driver_id"),
    ("workings", "block_id"),
    ("workings", "bus_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Bus(TypedDict):
    id: str
    number: str
    articulated: bool
    range_km: int | None


class Charger(TypedDict):
    id: str
    label: str
    km_an_hour: int


class Charging(TypedDict):
    id: str
    bus_id: str
    charger_id: str
    starts_at: str
    ends_at: str


class Defect(TypedDict):
    id: str
    bus_id: str
    what: Literal["brakes", "door", "heating", "ramp", "lights", "mirror", "steering", "seat"]
    unsafe: bool
    reported_at: str
    mended_at: str | None


class Block(TypedDict):
    id: str
    number: str
    line: Literal["Line_1", "Line_7", "Line_11", "Line_17", "extra"]
    starts_at: str
    length: int
    km: int
    articulated: bool
    withdrawn: bool


class Working(TypedDict):
    id: str
    block_id: str
    bus_id: str
    starts_at: str
    ends_at: str


class Driver(TypedDict):
    id: str
    name: str
    articulated: bool


class Turn(TypedDict):
    id: str
    block_id: str
    starts_at: str
    ends_at: str
    driver_id: str | None


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class BusDepot:
    """Covers the blocks of a bus depot twice over, with buses and with drivers, with driving time and
    rest, defects, charging of electric buses and replacement in service.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.buses: dict[str, Bus] = _copied(config.get("buses", {}))
        self.chargers: dict[str, Charger] = _copied(config.get("chargers", {}))
        self.chargings: dict[str, Charging] = _copied(config.get("chargings", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.blocks: dict[str, Block] = _copied(config.get("blocks", {}))
        self.workings: dict[str, Working] = _copied(config.get("workings", {}))
        self.drivers: dict[str, Driver] = _copied(config.get("drivers", {}))
        self.turns: dict[str, Turn] = _copied(config.get("turns", {}))
        self.now: str = config.get("now", "2026-10-05T13:05")
        self.counters: dict[str, int] = {
            "bus": len(self.buses),
            "charger": len(self.chargers),
            "charging": len(self.chargings),
            "defect": len(self.defects),
            "block": len(self.blocks),
            "working": len(self.workings),
            "driver": len(self.drivers),
            "turn": len(self.turns),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._chargings_by_bus: dict[Any, dict[str, Charging]] = {}
        self._chargings_by_charger: dict[Any, dict[str, Charging]] = {}
        self._defects_by_bus: dict[Any, dict[str, Defect]] = {}
        self._defects_by_bus_what: dict[Any, dict[str, Defect]] = {}
        self._blocks_by_number: dict[Any, dict[str, Block]] = {}
        self._workings_by_block: dict[Any, dict[str, Working]] = {}
        self._workings_by_bus: dict[Any, dict[str, Working]] = {}
        self._turns_by_block: dict[Any, dict[str, Turn]] = {}
        self._turns_by_driver: dict[Any, dict[str, Turn]] = {}
        for charging in self.chargings.values():
            self._link("chargings", charging)
        for defect in self.defects.values():
            self._link("defects", defect)
        for block in self.blocks.values():
            self._link("blocks", block)
        for working in self.workings.values():
            self._link("workings", working)
        for turn in self.turns.values():
            self._link("turns", turn)

    def buses_for(
        self,
        block_id: str,
        since: DateTime | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Buses that could work a block, or the rest of it from a time on, the ones with most km left first.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.
            since (str, optional): When the bus would take the block over, during the block, as YYYY-MM-DDTHH:MM.
                If left out, the whole block is looked at.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "buses": records}} or {"success": False, "error": why
                not}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        a = since if since is not None else block["starts_at"]
        if block["starts_at"] > a or a >= self._block_ends_at(block):
            return _refused(
                f"Block {block['number']} runs from {block['starts_at']} to {self._block_ends_at(block)}."
            )
        found = [b for b in self.buses.values() if self._suits(b, block, a, self._block_ends_at(block))]
        found.sort(key=lambda b: (-self._km_left(b, a[:10]), b["number"], _age(b)))
        return _found(
            {
                "total": len(found),
                "buses": [
                    {
                        "id": b["id"],
                        "number": b["number"],
                        "range_km": b["range_km"],
                        "km_left": self._km_left(b, a[:10]),
                        "km_at_start": self._range_at(b, a),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def drivers_for(self, turn_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Drivers who may take a turn, those who drive least that day first.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drivers": records}} or {"success": False, "error": why
                not}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        found = [
            m
            for m in self.drivers.values()
            if self._may_drive(m, turn)
            and (turn["driver_id"] is None or m["id"] != turn["driver_id"])
        ]
        found.sort(key=lambda m: (self._driven(m, turn["starts_at"][:10]), m["name"], _age(m)))
        return _found(
            {
                "total": len(found),
                "drivers": [
                    {"id": m["id"], "name": m["name"], "minutes_that_day": self._driven(m, turn["starts_at"][:10])}
                    for m in _page(found, offset)
                ],
            }
        )

    def list_buses(
        self,
        number: Text | None = None,
        articulated: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the buses, oldest first, all of them or only some.

        Args:
            number (str, optional): Only buses whose number contains this text.
            articulated (bool, optional): Only buses that are articulated (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "buses": records}}
        """
        found = [
            bus
            for bus in self.buses.values()
            if (number is None or number.casefold() in bus["number"].casefold())
            and (articulated is None or bus["articulated"] == articulated)
        ]
        return _found({"total": len(found), "buses": [self._show_bus(bus) for bus in _page(found, offset)]})

    def list_chargers(
        self,
        label: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the chargers, oldest first, all of them or only some.

        Args:
            label (str, optional): Only chargers whose label contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chargers": records}}
        """
        found = [
            charger
            for charger in self.chargers.values()
            if (label is None or label.casefold() in charger["label"].casefold())
        ]
        return _found({"total": len(found), "chargers": [{**charger} for charger in _page(found, offset)]})

    def list_chargings(
        self,
        bus_id: str | None = None,
        charger_id: str | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the chargings, oldest first, all of them or only some.

        Args:
            bus_id (str, optional): Only chargings of this bus.
            charger_id (str, optional): Only chargings of this charger.
            starts_at_from (str, optional): Only chargings whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only chargings whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chargings": records}}
        """
        if bus_id is not None and bus_id not in self.buses:
            return _refused(f"There is no bus {bus_id!r}.")
        if charger_id is not None and charger_id not in self.chargers:
            return _refused(f"There is no charger {charger_id!r}.")
        found = [
            charging
            for charging in self.chargings.values()
            if (bus_id is None or charging["bus_id"] == bus_id)
            and (charger_id is None or charging["charger_id"] == charger_id)
            and (starts_at_from is None or charging["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or charging["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_charging(charging) for charging in _page(found, offset)]
        return _found({"total": len(found), "chargings": shown}, self._names_of_chargings(shown))

    def list_defects(
        self,
        bus_id: str | None = None,
        what: Literal["brakes", "door", "heating", "ramp", "lights", "mirror", "steering", "seat"] | None = None,
        unsafe: bool | None = None,
        reported_at_from: Date | None = None,
        reported_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            bus_id (str, optional): Only defects of this bus.
            what (str, optional): Only defects whose `what` is this.
            unsafe (bool, optional): Only defects that are unsafe (true) or not (false).
            reported_at_from (str, optional): Only defects whose `reported_at` is on this day or later.
            reported_at_to (str, optional): Only defects whose `reported_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if bus_id is not None and bus_id not in self.buses:
            return _refused(f"There is no bus {bus_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (bus_id is None or defect["bus_id"] == bus_id)
            and (what is None or defect["what"] == what)
            and (unsafe is None or defect["unsafe"] == unsafe)
            and (reported_at_from is None or defect["reported_at"][:10] >= reported_at_from)
            and (reported_at_to is None or defect["reported_at"][:10] <= reported_at_to)
        ]
        shown = [{**defect} for defect in _page(found, offset)]
        return _found({"total": len(found), "defects": shown}, self._names_of_defects(shown))

    def list_blocks(
        self,
        number: Text | None = None,
        line: Literal["Line_1", "Line_7", "Line_11", "Line_17", "extra"] | None = None,
        articulated: bool | None = None,
        withdrawn: bool | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the blocks, oldest first, all of them or only some.

        Args:
            number (str, optional): Only blocks whose number contains this text.
            line (str, optional): Only blocks with this line.
            articulated (bool, optional): Only blocks that are articulated (true) or not (false).
            withdrawn (bool, optional): Only blocks that are withdrawn (true) or not (false).
            starts_at_from (str, optional): Only blocks whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only blocks whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "blocks": records}}
        """
        found = [
            block
            for block in self.blocks.values()
            if (number is None or number.casefold() in block["number"].casefold())
            and (line is None or block["line"] == line)
            and (articulated is None or block["articulated"] == articulated)
            and (withdrawn is None or block["withdrawn"] == withdrawn)
            and (starts_at_from is None or block["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or block["starts_at"][:10] <= starts_at_to)
        ]
        return _found({"total": len(found), "blocks": [self._show_block(block) for block in _page(found, offset)]})

    def list_workings(
        self,
        block_id: str | None = None,
        bus_id: str | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the workings, oldest first, all of them or only some.

        Args:
            block_id (str, optional): Only workings of this block.
            bus_id (str, optional): Only workings of this bus.
            starts_at_from (str, optional): Only workings whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only workings whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workings": records}}
        """
        if block_id is not None and block_id not in self.blocks:
            return _refused(f"There is no block {block_id!r}.")
        if bus_id is not None and bus_id not in self.buses:
            return _refused(f"There is no bus {bus_id!r}.")
        found = [
            working
            for working in self.workings.values()
            if (block_id is None or working["block_id"] == block_id)
            and (bus_id is None or working["bus_id"] == bus_id)
            and (starts_at_from is None or working["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or working["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_working(working) for working in _page(found, offset)]
        return _found({"total": len(found), "workings": shown}, self._names_of_workings(shown))

    def list_drivers(
        self,
        name: Text | None = None,
        articulated: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drivers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only drivers whose name contains this text.
            articulated (bool, optional): Only drivers that are articulated (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drivers": records}}
        """
        found = [
            driver
            for driver in self.drivers.values()
            if (name is None or name.casefold() in driver["name"].casefold())
            and (articulated is None or driver["articulated"] == articulated)
        ]
        return _found({"total": len(found), "drivers": [{**driver} for driver in _page(found, offset)]})

    def list_turns(
        self,
        block_id: str | None = None,
        driver_id: str | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the turns, oldest first, all of them or only some.

        Args:
            block_id (str, optional): Only turns of this block.
            driver_id (str, optional): Only turns of this driver.
            starts_at_from (str, optional): Only turns whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only turns whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "turns": records}}
        """
        if block_id is not None and block_id not in self.blocks:
            return _refused(f"There is no block {block_id!r}.")
        if driver_id is not None and driver_id not in self.drivers:
            return _refused(f"There is no driver {driver_id!r}.")
        found = [
            turn
            for turn in self.turns.values()
            if (block_id is None or turn["block_id"] == block_id)
            and (driver_id is None or turn["driver_id"] == driver_id)
            and (starts_at_from is None or turn["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or turn["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_turn(turn) for turn in _page(found, offset)]
        return _found({"total": len(found), "turns": shown}, self._names_of_turns(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def allocate_bus(self, block_id: str, bus_id: str, since: DateTime | None = None) -> Result:
        """Let a bus work a block, from a time on if it has begun or another bus has worked it before.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.
            bus_id (str): Id of the bus, such as BUS-00001.
            since (str, optional): When the bus takes the block over, during the block, as YYYY-MM-DDTHH:MM. If
                left out, the bus works the block from its beginning.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        bus = self.buses.get(bus_id)
        if bus is None:
            return _refused(f"There is no bus {bus_id!r}.")
        if block["withdrawn"]:
            return _refused(f"Block {block['number']} was withdrawn.")
        a = since if since is not None else block["starts_at"]
        z = self._block_ends_at(block)
        if block["starts_at"] > a or a >= z:
            return _refused(f"Block {block['number']} runs from {block['starts_at']} to {z}.")
        if z <= self.now:
            return _refused(f"Block {block['number']} ended at {z}.")
        other = self._covered(block, a, z)
        if other is not None:
            return _refused(
                f"Bus {self.buses[other['bus_id']]['number']} works it from {other['starts_at']} to "
                f"{other['ends_at']}."
            )
        if not bus["articulated"] and block["articulated"]:
            return _refused(f"Block {block['number']} needs an articulated bus.")
        if self._bus_unsafe(bus):
            return _refused(f"Bus {bus['number']} has an unsafe defect.")
        busy = self._on_the_road(bus, a, z)
        if busy is not None:
            return _refused(
                f"Bus {bus['number']} works block {self.blocks[busy['block_id']]['number']} until {busy['ends_at']}."
            )
        plug = self._plugged_in(bus, a, z)
        if plug is not None:
            return _refused(f"Bus {bus['number']} is charged from {plug['starts_at']} to {plug['ends_at']}.")
        if self._km_of(block, a, z) > self._km_left(bus, a[:10]):
            return _refused(
                f"Bus {bus['number']} has {self._km_left(bus, a[:10])} km left that day and would need "
                f"{self._km_of(block, a, z)}."
            )
        if self._km_of(block, a, z) > self._range_at(bus, a):
            return _refused(
                f"Bus {bus['number']} has {self._range_at(bus, a)} km left when it sets out on block "
                f"{block['number']} and would need {self._km_of(block, a, z)}; charge it before."
            )
        self._journal = []
        working: Working = {
            "id": self._new_id("working", "WORKING", self.workings),
            "block_id": block_id,
            "bus_id": bus_id,
            "starts_at": a,
            "ends_at": z,
        }
        self._add("workings", working)
        if self._breaks_rule_1_a(working):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_w(working):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(working):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_a_again(working):
            return self._take_back(RULES[1])
        for one_working in _distinct([working, *self._workings_by_bus.get(working["bus_id"], {}).values()]):
            if self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct(self._chargings_by_bus.get(working["bus_id"], {}).values()):
            if self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct([working, *self._workings_by_bus.get(working["bus_id"], {}).values()]):
            if self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_w(working):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_w(working):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_w(working):
            return self._take_back(RULES[7])
        done = f"allocate bus {bus['number']} to block {block['number']}"
        if since is not None:
            done += f" from {since} on"
        return {
            "success": True,
            "message": f"Done: {done} (new: working {working['id']}).",
            "data": {"working_id": working["id"], **self._changes()},
        }

    def change_over(self, working_id: str, bus_id: str, at: DateTime) -> Result:
        """Replace the bus of a working by another one at a time, for the rest of it.

        Args:
            working_id (str): Id of the working, such as WORKING-00001.
            bus_id (str): Id of the bus, such as BUS-00001.
            at (str): When the new bus takes over, not in the past and during the working, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        working = self.workings.get(working_id)
        if working is None:
            return _refused(f"There is no working {working_id!r}.")
        bus = self.buses.get(bus_id)
        if bus is None:
            return _refused(f"There is no bus {bus_id!r}.")
        if working["starts_at"] >= at or at >= working["ends_at"]:
            return _refused(
                f"Bus {self.buses[working['bus_id']]['number']} works from {working['starts_at']} to "
                f"{working['ends_at']}; to replace it altogether, release it."
            )
        if at < self.now:
            return _refused(f"{at} is past.")
        if not bus["articulated"] and self.blocks[working["block_id"]]["articulated"]:
            return _refused(f"Block {self.blocks[working['block_id']]['number']} needs an articulated bus.")
        if self._bus_unsafe(bus):
            return _refused(f"Bus {bus['number']} has an unsafe defect.")
        busy = self._on_the_road(bus, at, working["ends_at"])
        if busy is not None:
            return _refused(
                f"Bus {bus['number']} works block {self.blocks[busy['block_id']]['number']} until {busy['ends_at']}."
            )
        plug = self._plugged_in(bus, at, working["ends_at"])
        if plug is not None:
            return _refused(f"Bus {bus['number']} is charged from {plug['starts_at']} to {plug['ends_at']}.")
        if self._km_of(self.blocks[working["block_id"]], at, working["ends_at"]) > self._km_left(bus, at[:10]):
            return _refused(f"Bus {bus['number']} has {self._km_left(bus, at[:10])} km left that day.")
        if self._km_of(self.blocks[working["block_id"]], at, working["ends_at"]) > self._range_at(bus, at):
            return _refused(
                f"Bus {bus['number']} has {self._range_at(bus, at)} km left at that time; charge it before."
            )
        done = f"replace bus {self.buses[working['bus_id']]['number']} by bus {bus['number']} at {at}"
        self._journal = []
        z = working["ends_at"]
        self._put("workings", working, "ends_at", at)
        new_working: Working = {
            "id": self._new_id("working", "WORKING", self.workings),
            "block_id": working["block_id"],
            "bus_id": bus_id,
            "starts_at": at,
            "ends_at": z,
        }
        self._add("workings", new_working)
        if self._breaks_rule_1_a(working):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a(new_working):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_w(working):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_w(new_working):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(working):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_a(new_working):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_a_again(working):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_a_again(new_working):
            return self._take_back(RULES[1])
        for one_working in _distinct(
            [
                new_working,
                *self._workings_by_bus.get(working["bus_id"], {}).values(),
                *self._workings_by_bus.get(new_working["bus_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct(
            [
                *self._chargings_by_bus.get(working["bus_id"], {}).values(),
                *self._chargings_by_bus.get(new_working["bus_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct(
            [
                working,
                new_working,
                *self._workings_by_bus.get(working["bus_id"], {}).values(),
                *self._workings_by_bus.get(new_working["bus_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_w(working):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_w(new_working):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_w(new_working):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_w(new_working):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: {done} (new: working {new_working['id']}).",
            "data": {"working_id": new_working["id"], **self._changes()},
        }

    def release_bus(self, working_id: str) -> Result:
        """Take a bus off a block that it has not begun.

        Args:
            working_id (str): Id of the working, such as WORKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        working = self.workings.get(working_id)
        if working is None:
            return _refused(f"There is no working {working_id!r}.")
        if working["starts_at"] <= self.now:
            return _refused(
                f"Bus {self.buses[working['bus_id']]['number']} began at {working['starts_at']}; replace it instead."
            )
        self._journal = []
        self._remove("workings", working)
        for one_working in _distinct(self._workings_by_bus.get(working["bus_id"], {}).values()):
            if one_working["id"] in self.workings and self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct(self._chargings_by_bus.get(working["bus_id"], {}).values()):
            if self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct(self._workings_by_bus.get(working["bus_id"], {}).values()):
            if one_working["id"] in self.workings and self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: release bus {self.buses[working['bus_id']]['number']} from block "
                f"{self.blocks[working['block_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def assign_driver(self, turn_id: str, driver_id: str) -> Result:
        """Give a turn to a driver, in the place of another one too.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.
            driver_id (str): Id of the driver, such as DRIVER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        driver = self.drivers.get(driver_id)
        if driver is None:
            return _refused(f"There is no driver {driver_id!r}.")
        if self.blocks[turn["block_id"]]["withdrawn"]:
            return _refused(f"Block {self.blocks[turn['block_id']]['number']} was withdrawn.")
        if turn["ends_at"] <= self.now:
            return _refused(f"The turn ended at {turn['ends_at']}.")
        if turn["driver_id"] == driver_id:
            return _refused(f"{driver['name']} has that turn already.")
        if not driver["articulated"] and self.blocks[turn["block_id"]]["articulated"]:
            return _refused(f"{driver['name']} is not trained on articulated buses.")
        if self._turn_minutes(turn) > 270:
            return _refused(f"The turn lasts {self._turn_minutes(turn)} minutes; split it first.")
        same = self._clash(driver, turn["starts_at"], turn["ends_at"], turn)
        if same is not None:
            return _refused(
                f"{driver['name']} drives block {self.blocks[same['block_id']]['number']} from "
                f"{same['starts_at']} to {same['ends_at']}."
            )
        if self._driven(driver, turn["starts_at"][:10]) + self._turn_minutes(turn) > 540:
            return _refused(
                f"{driver['name']} drives {self._driven(driver, turn['starts_at'][:10])} minutes that day already."
            )
        tight = self._no_break(driver, turn["starts_at"], turn["ends_at"], turn)
        if tight is not None:
            return _refused(
                f"{driver['name']} would have no break between this and block "
                f"{self.blocks[tight['block_id']]['number']} at {tight['starts_at']}."
            )
        if self._overtired(driver, turn["starts_at"], turn["ends_at"], turn):
            return _refused(
                f"{driver['name']} would drive more than four and a half hours without half an hour of breaks."
            )
        short = self._no_rest(driver, turn["starts_at"], turn["ends_at"], turn)
        if short is not None:
            return _refused(
                f"{driver['name']} would not rest for eleven hours before or after block "
                f"{self.blocks[short['block_id']]['number']} at {short['starts_at']}."
            )
        self._journal = []
        former_driver_id = turn["driver_id"]
        self._put("turns", turn, "driver_id", driver_id)
        if self._breaks_rule_7_t(turn):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_t(turn):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_a(turn):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(turn):
            return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_driver_id)]
                    if one is not None
                    for user in self._turns_by_driver.get(former_driver_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_t(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_driver_id)]
                    if one is not None
                    for user in self._turns_by_driver.get(former_driver_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_turn):
                return self._take_back(RULES[10])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_driver_id)]
                    if one is not None
                    for user in self._turns_by_driver.get(former_driver_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_turn):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: give the turn on block {self.blocks[turn['block_id']]['number']} at {turn['starts_at']} "
                f"to {driver['name']}."
            ),
            "data": self._changes(),
        }

    def relieve_driver(self, turn_id: str) -> Result:
        """Take the driver off a turn that has not begun.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if turn["driver_id"] is None:
            return _refused("Nobody has that turn.")
        if turn["starts_at"] <= self.now:
            return _refused(f"The turn began at {turn['starts_at']}; split it first.")
        self._journal = []
        former_driver_id = turn["driver_id"]
        self._put("turns", turn, "driver_id", None)
        if self._breaks_rule_7_t(turn):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_t(turn):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_a(turn):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(turn):
            return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_driver_id)]
                    if one is not None
                    for user in self._turns_by_driver.get(former_driver_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_t(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_driver_id)]
                    if one is not None
                    for user in self._turns_by_driver.get(former_driver_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_turn):
                return self._take_back(RULES[10])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_driver_id)]
                    if one is not None
                    for user in self._turns_by_driver.get(former_driver_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_turn):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take the driver off block {self.blocks[turn['block_id']]['number']} at {turn['starts_at']}."
            ),
            "data": self._changes(),
        }

    def split_turn(self, turn_id: str, at: DateTime) -> Result:
        """Split a turn in two at a time; the driver keeps the first part, and the second one is open.

        Args:
            turn_id (str): Id of the turn, such as TURN-00001.
            at (str): When the second part begins, later than now and half an hour from either end, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        turn = self.turns.get(turn_id)
        if turn is None:
            return _refused(f"There is no turn {turn_id!r}.")
        if _plus_minutes(turn["starts_at"], 30) > at or at > _plus_minutes(turn["ends_at"], -30):
            return _refused(
                f"A turn from {turn['starts_at']} to {turn['ends_at']} is split at least half an hour from its ends."
            )
        if at <= self.now:
            return _refused(f"{at} is past.")
        done = f"split the turn on block {self.blocks[turn['block_id']]['number']} at {at}"
        self._journal = []
        z = turn["ends_at"]
        self._put("turns", turn, "ends_at", at)
        new_turn: Turn = {
            "id": self._new_id("turn", "TURN", self.turns),
            "block_id": turn["block_id"],
            "starts_at": at,
            "ends_at": z,
            "driver_id": None,
        }
        self._add("turns", new_turn)
        if self._breaks_rule_7_t(new_turn):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_t(new_turn):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(turn):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_a(new_turn):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_t(turn):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_t(new_turn):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_a(turn):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_a(new_turn):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(turn):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(new_turn):
            return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                new_turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(new_turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(new_turn["driver_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_t(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                new_turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(new_turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(new_turn["driver_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_turn):
                return self._take_back(RULES[10])
        for one_turn in _distinct(
            [
                turn,
                new_turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(new_turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(new_turn["driver_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_turn):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: turn {new_turn['id']}).",
            "data": {"turn_id": new_turn["id"], **self._changes()},
        }

    def add_block(
        self,
        number: Text,
        starts_at: DateTime,
        length: Annotated[int, {"minimum": 60, "maximum": 270}],
        km: Annotated[int, {"minimum": 5, "maximum": 400}],
        articulated: bool = False,
    ) -> Result:
        """Add an extra block with one turn, open for a driver.

        Args:
            number (str): Number of the new block, not in use yet.
            starts_at (str): When the block begins, later than now, as YYYY-MM-DDTHH:MM.
            length (int): Length of the block in minutes, ending on the same day, from 60 to 270.
            km (int): Distance that the block covers in kilometres, from 5 to 400.
            articulated (bool): Whether the block needs an articulated bus. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if _plus_minutes(starts_at, length)[:10] != starts_at[:10]:
            return _refused("A block ends on the day on which it begins.")
        if self._blocks_by_number.get(number, {}):
            return _refused(f"There is a block {number}.")
        self._journal = []
        block: Block = {
            "id": self._new_id("block", "BLOCK", self.blocks),
            "number": number,
            "line": "extra",
            "starts_at": starts_at,
            "length": length,
            "km": km,
            "articulated": articulated,
            "withdrawn": False,
        }
        self._add("blocks", block)
        turn: Turn = {
            "id": self._new_id("turn", "TURN", self.turns),
            "block_id": block["id"],
            "starts_at": starts_at,
            "ends_at": _plus_minutes(starts_at, length),
            "driver_id": None,
        }
        self._add("turns", turn)
        if len(self._blocks_by_number.get(block["number"], {})) > 1:
            return self._take_back(f"There is already a block with the number {block['number']!r}.")
        if self._breaks_rule_7_t(turn):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_t(turn):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(turn):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_t(turn):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_a(turn):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_b(turn):
            return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_t(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_turn):
                return self._take_back(RULES[10])
        for one_turn in _distinct(
            [
                turn,
                *[
                    user
                    for one in [self.drivers.get(turn["driver_id"])]
                    if one is not None
                    for user in self._turns_by_driver.get(turn["driver_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_turn):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: add block {number} at {starts_at} (new: block {block['id']}, turn {turn['id']}).",
            "data": {"block_id": block["id"], "turn_id": turn["id"], **self._changes()},
        }

    def withdraw_block(self, block_id: str) -> Result:
        """Withdraw a block that has not begun; its buses and drivers are free.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        if block["withdrawn"]:
            return _refused(f"Block {block['number']} was withdrawn.")
        if block["starts_at"] <= self.now:
            return _refused(f"Block {block['number']} began at {block['starts_at']}.")
        self._journal = []
        deleted_workings: list[Any] = []
        changed_turns: list[Any] = []
        former_driver_ids: list[Any] = []
        self._put("blocks", block, "withdrawn", True)
        for w in sorted(self._workings_by_block.get(block_id, {}).values(), key=_age):
            if w["id"] in self.workings:
                self._remove("workings", w)
            deleted_workings.append(w)
        for t in sorted(self._turns_by_block.get(block_id, {}).values(), key=_age):
            changed_turns.append(t)
            former_driver_ids.append(t["driver_id"])
            self._put("turns", t, "driver_id", None)
        for one_working in _distinct(
            [
                user
                for one in [self.buses[one["bus_id"]] for one in deleted_workings]
                for user in self._workings_by_bus.get(one["id"], {}).values()
            ]
        ):
            if one_working["id"] in self.workings and self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct(
            [
                user
                for one in [self.buses[one["bus_id"]] for one in deleted_workings]
                for user in self._chargings_by_bus.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct(
            [
                user
                for one in [self.buses[one["bus_id"]] for one in deleted_workings]
                for user in self._workings_by_bus.get(one["id"], {}).values()
            ]
        ):
            if one_working["id"] in self.workings and self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        for one_turn in _distinct(changed_turns):
            if self._breaks_rule_7_t(one_turn):
                return self._take_back(RULES[6])
        for one_working in _distinct(self._workings_by_block.get(block["id"], {}).values()):
            if one_working["id"] in self.workings and self._breaks_rule_8_w(one_working):
                return self._take_back(RULES[7])
        for one_turn in _distinct([*self._turns_by_block.get(block["id"], {}).values(), *changed_turns]):
            if self._breaks_rule_8_t(one_turn):
                return self._take_back(RULES[7])
        for one_turn in _distinct(changed_turns):
            if self._breaks_rule_10_a(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(changed_turns):
            if self._breaks_rule_10_b(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                *changed_turns,
                *[
                    user
                    for one in [self.drivers.get(one["driver_id"]) for one in changed_turns]
                    if one is not None
                    for user in self._turns_by_driver.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(key) for key in former_driver_ids]
                    if one is not None
                    for user in self._turns_by_driver.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_t(one_turn):
                return self._take_back(RULES[9])
        for one_turn in _distinct(
            [
                *changed_turns,
                *[
                    user
                    for one in [self.drivers.get(one["driver_id"]) for one in changed_turns]
                    if one is not None
                    for user in self._turns_by_driver.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(key) for key in former_driver_ids]
                    if one is not None
                    for user in self._turns_by_driver.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_turn):
                return self._take_back(RULES[10])
        for one_turn in _distinct(
            [
                *changed_turns,
                *[
                    user
                    for one in [self.drivers.get(one["driver_id"]) for one in changed_turns]
                    if one is not None
                    for user in self._turns_by_driver.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(key) for key in former_driver_ids]
                    if one is not None
                    for user in self._turns_by_driver.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_turn):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: withdraw block {block['number']}.", "data": self._changes()}

    def report_defect(
        self,
        bus_id: str,
        what: Literal["brakes", "door", "heating", "ramp", "lights", "mirror", "steering", "seat"],
        unsafe: bool,
    ) -> Result:
        """Report a defect of a bus; an unsafe one takes it off the road at once and off everything ahead.

        Args:
            bus_id (str): Id of the bus, such as BUS-00001.
            what (str): Part of the bus that has the defect: brakes, door, heating, ramp, lights, mirror, steering
                or seat.
            unsafe (bool): Whether the bus must leave the road until the defect is mended.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bus = self.buses.get(bus_id)
        if bus is None:
            return _refused(f"There is no bus {bus_id!r}.")
        if not (unsafe or what not in ("brakes", "steering")):
            return _refused(f"A defect of the {what} always takes the bus off the road, so report it as unsafe.")
        if any(d["mended_at"] is None for d in self._defects_by_bus_what.get((bus_id, what), {}).values()):
            return _refused(f"That defect of bus {bus['number']} is known.")
        self._journal = []
        changed_workings: list[Any] = []
        deleted_workings: list[Any] = []
        defect: Defect = {
            "id": self._new_id("defect", "DEFECT", self.defects),
            "bus_id": bus_id,
            "what": what,
            "unsafe": unsafe,
            "reported_at": self.now,
            "mended_at": None,
        }
        self._add("defects", defect)
        if unsafe:
            for w in [
                w
                for w in sorted(self._workings_by_bus.get(bus_id, {}).values(), key=_age)
                if w["ends_at"] > self.now
            ]:
                if w["starts_at"] < self.now:
                    changed_workings.append(w)
                    if w["id"] in self.workings:
                        self._put("workings", w, "ends_at", self.now)
                else:
                    if w["id"] in self.workings:
                        self._remove("workings", w)
                    deleted_workings.append(w)
        for one_working in _distinct(changed_workings):
            if one_working["id"] in self.workings and self._breaks_rule_1_a(one_working):
                return self._take_back(RULES[0])
        for one_working in _distinct(changed_workings):
            if one_working["id"] in self.workings and self._breaks_rule_1_w(one_working):
                return self._take_back(RULES[0])
        for one_working in _distinct(changed_workings):
            if one_working["id"] in self.workings and self._breaks_rule_2_a(one_working):
                return self._take_back(RULES[1])
        for one_working in _distinct(changed_workings):
            if one_working["id"] in self.workings and self._breaks_rule_2_a_again(one_working):
                return self._take_back(RULES[1])
        for one_working in _distinct(
            [
                *[
                    user
                    for one in [self.buses[one["bus_id"]] for one in changed_workings]
                    for user in self._workings_by_bus.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.buses[one["bus_id"]] for one in deleted_workings]
                    for user in self._workings_by_bus.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_working["id"] in self.workings and self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct(
            [
                *[
                    user
                    for one in [self.buses[one["bus_id"]] for one in changed_workings]
                    for user in self._chargings_by_bus.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.buses[one["bus_id"]] for one in deleted_workings]
                    for user in self._chargings_by_bus.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct(
            [
                *changed_workings,
                *[
                    user
                    for one in [self.buses[one["bus_id"]] for one in changed_workings]
                    for user in self._workings_by_bus.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.buses[one["bus_id"]] for one in deleted_workings]
                    for user in self._workings_by_bus.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_working["id"] in self.workings and self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_d(defect):
            return self._take_back(RULES[5])
        for one_working in _distinct(changed_workings):
            if one_working["id"] in self.workings and self._breaks_rule_6_w(one_working):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: report {what} of bus {bus['number']} (new: defect {defect['id']}).",
            "data": {"defect_id": defect["id"], **self._changes()},
        }

    def mend_defect(self, defect_id: str) -> Result:
        """Note that a defect is mended.

        Args:
            defect_id (str): Id of the defect, such as DEFECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defect = self.defects.get(defect_id)
        if defect is None:
            return _refused(f"There is no defect {defect_id!r}.")
        if defect["mended_at"] is not None:
            return _refused(f"It was mended at {defect['mended_at']}.")
        if defect["reported_at"] >= self.now:
            return _refused("It was reported this minute.")
        self._journal = []
        self._put("defects", defect, "mended_at", self.now)
        if self._breaks_rule_6_d(defect):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: note that {defect['what']} of bus {self.buses[defect['bus_id']]['number']} is mended.",
            "data": self._changes(),
        }

    def plan_charging(
        self,
        bus_id: str,
        charger_id: str,
        starts_at: DateTime,
        minutes: Annotated[int, {"minimum": 10, "maximum": 480}],
    ) -> Result:
        """Plan the charging of an electric bus.

        Args:
            bus_id (str): Id of the bus, such as BUS-00001.
            charger_id (str): Id of the charger, such as CHARGER-00001.
            starts_at (str): When the charging begins, not in the past, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the charging in minutes, ending on the same day, from 10 to 480.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bus = self.buses.get(bus_id)
        if bus is None:
            return _refused(f"There is no bus {bus_id!r}.")
        charger = self.chargers.get(charger_id)
        if charger is None:
            return _refused(f"There is no charger {charger_id!r}.")
        if bus["range_km"] is None:
            return _refused(f"Bus {bus['number']} is not electric.")
        if starts_at < self.now:
            return _refused(f"{starts_at} is past.")
        if _plus_minutes(starts_at, minutes)[:10] != starts_at[:10]:
            return _refused("It must end on the same day.")
        other = next(
            (
                c
                for c in sorted(self._chargings_by_charger.get(charger_id, {}).values(), key=_age)
                if _overlap(c["starts_at"], c["ends_at"], starts_at, _plus_minutes(starts_at, minutes))
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{charger['label']} is taken by bus {self.buses[other['bus_id']]['number']} until "
                f"{other['ends_at']}."
            )
        busy = self._on_the_road(bus, starts_at, _plus_minutes(starts_at, minutes))
        if busy is not None:
            return _refused(
                f"Bus {bus['number']} works block {self.blocks[busy['block_id']]['number']} from "
                f"{busy['starts_at']} to {busy['ends_at']}."
            )
        if self._plugged_in(bus, starts_at, _plus_minutes(starts_at, minutes)) is not None:
            return _refused(f"Bus {bus['number']} is at another charger then.")
        self._journal = []
        charging: Charging = {
            "id": self._new_id("charging", "CHARGING", self.chargings),
            "bus_id": bus_id,
            "charger_id": charger_id,
            "starts_at": starts_at,
            "ends_at": _plus_minutes(starts_at, minutes),
        }
        self._add("chargings", charging)
        if self._breaks_rule_2_c(charging):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(charging):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_c(charging):
            return self._take_back(RULES[2])
        for one_working in _distinct(self._workings_by_bus.get(charging["bus_id"], {}).values()):
            if self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct([charging, *self._chargings_by_bus.get(charging["bus_id"], {}).values()]):
            if self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct(self._workings_by_bus.get(charging["bus_id"], {}).values()):
            if self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: charge bus {bus['number']} at {charger['label']} from {starts_at} for {minutes} minutes "
                f"(new: charging {charging['id']})."
            ),
            "data": {"charging_id": charging["id"], **self._changes()},
        }

    def drop_charging(self, charging_id: str) -> Result:
        """Drop a planned charging that the bus does not need for what it has to do that day.

        Args:
            charging_id (str): Id of the charging, such as CHARGING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        charging = self.chargings.get(charging_id)
        if charging is None:
            return _refused(f"There is no charging {charging_id!r}.")
        if charging["starts_at"] <= self.now:
            return _refused(f"It began at {charging['starts_at']}.")
        if not self._spared(charging):
            return _refused(
                f"Bus {self.buses[charging['bus_id']]['number']} needs it for its blocks that day; release it "
                "from one first."
            )
        self._journal = []
        self._remove("chargings", charging)
        for one_working in _distinct(self._workings_by_bus.get(charging["bus_id"], {}).values()):
            if self._breaks_rule_4_w(one_working):
                return self._take_back(RULES[3])
        for one_charging in _distinct(self._chargings_by_bus.get(charging["bus_id"], {}).values()):
            if one_charging["id"] in self.chargings and self._breaks_rule_4_c(one_charging):
                return self._take_back(RULES[3])
        for one_working in _distinct(self._workings_by_bus.get(charging["bus_id"], {}).values()):
            if self._breaks_rule_5(one_working):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: drop the charging of bus {self.buses[charging['bus_id']]['number']} at "
                f"{charging['starts_at']}."
            ),
            "data": self._changes(),
        }

    def _show_bus(self, bus: Bus) -> dict[str, Any]:
        """The bus as an answer shows it."""
        return {**bus, "unsafe": self._bus_unsafe(bus)}

    def _show_charging(self, charging: Charging) -> dict[str, Any]:
        """The charging as an answer shows it."""
        return {**charging, "gain": self._charging_gain(charging)}

    def _show_block(self, block: Block) -> dict[str, Any]:
        """The block as an answer shows it."""
        return {**block, "ends_at": self._block_ends_at(block)}

    def _show_working(self, working: Working) -> dict[str, Any]:
        """The working as an answer shows it."""
        return {**working, "km": self._working_km(working)}

    def _show_turn(self, turn: Turn) -> dict[str, Any]:
        """The turn as an answer shows it."""
        return {**turn, "minutes": self._turn_minutes(turn)}

    def _names_of_chargings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that chargings point to."""
        return _names(
            (self.buses, "number", [row["bus_id"] for row in shown]),
            (self.chargers, "label", [row["charger_id"] for row in shown]),
        )

    def _names_of_defects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defects point to."""
        return _names((self.buses, "number", [row["bus_id"] for row in shown]))

    def _names_of_workings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that workings point to."""
        return _names(
            (self.blocks, "number", [row["block_id"] for row in shown]),
            (self.buses, "number", [row["bus_id"] for row in shown]),
        )

    def _names_of_turns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that turns point to."""
        return _names(
            (self.blocks, "number", [row["block_id"] for row in shown]),
            (self.drivers, "name", [row["driver_id"] for row in shown]),
        )

    def _bus_unsafe(self, bus: Bus) -> bool:
        """The unsafe of a bus."""
        return any(d["unsafe"] and d["mended_at"] is None for d in self._defects_by_bus.get(bus["id"], {}).values())

    def _charging_gain(self, charging: Charging) -> int:
        """The gain of a charging."""
        return _minutes_between(
            charging["starts_at"],
            charging["ends_at"],
        ) * self.chargers[charging["charger_id"]]["km_an_hour"] // 60

    def _block_ends_at(self, block: Block) -> str:
        """The ends at of a block."""
        return _plus_minutes(block["starts_at"], block["length"])

    def _working_km(self, working: Working) -> int:
        """The km of a working."""
        return ceil(
            Fraction(
                self.blocks[working["block_id"]]["km"] * _minutes_between(working["starts_at"], working["ends_at"]),
                self.blocks[working["block_id"]]["length"],
            )
        )

    def _turn_minutes(self, turn: Turn) -> int:
        """The minutes of a turn."""
        return _minutes_between(turn["starts_at"], turn["ends_at"])

    def _on_the_road(self, b: Bus, a: str, z: str) -> Working | None:
        return next(
            (
                w
                for w in sorted(self._workings_by_bus.get(b["id"], {}).values(), key=_age)
                if _overlap(w["starts_at"], w["ends_at"], a, z)
            ),
            None,
        )

    def _plugged_in(self, b: Bus, a: str, z: str) -> Charging | None:
        return next(
            (
                c
                for c in sorted(self._chargings_by_bus.get(b["id"], {}).values(), key=_age)
                if _overlap(c["starts_at"], c["ends_at"], a, z)
            ),
            None,
        )

    def _km_left(self, b: Bus, d: str) -> int:
        return (
            (b["range_km"] if b["range_km"] is not None else 9999)
            + sum(
                self._charging_gain(c)
                for c in self._chargings_by_bus.get(b["id"], {}).values()
                if c["starts_at"][:10] == d
            )
            - sum(
                self._working_km(w)
                for w in self._workings_by_bus.get(b["id"], {}).values()
                if w["starts_at"][:10] == d
            )
        )

    def _range_at(self, b: Bus, at: str) -> int:
        return (
            (b["range_km"] if b["range_km"] is not None else 9999)
            + sum(
                self._charging_gain(c)
                for c in self._chargings_by_bus.get(b["id"], {}).values()
                if c["starts_at"][:10] == at[:10]
                and c["ends_at"] <= at
            )
            - sum(
                self._working_km(w)
                for w in self._workings_by_bus.get(b["id"], {}).values()
                if w["starts_at"][:10] == at[:10]
                and w["starts_at"] < at
            )
        )

    def _reach(self, b: Bus, at: str) -> int:
        return min(self._km_left(b, at[:10]), self._range_at(b, at))

    def _spared(self, c: Charging) -> bool:
        return (
            self._km_left(self.buses[c["bus_id"]], c["starts_at"][:10]) >= self._charging_gain(c)
            and not any(
                self._range_at(self.buses[c["bus_id"]], w["ends_at"]) < self._charging_gain(c)
                for w in self._workings_by_bus.get(c["bus_id"], {}).values()
                if w["starts_at"][:10] == c["starts_at"][:10]
                and w["ends_at"] >= c["ends_at"]
            )
        )

    def _km_of(self, k: Block, a: str, z: str) -> int:
        return ceil(Fraction(k["km"] * _minutes_between(a, z), k["length"]))

    def _covered(self, k: Block, a: str, z: str) -> Working | None:
        return next(
            (
                w
                for w in sorted(self._workings_by_block.get(k["id"], {}).values(), key=_age)
                if _overlap(w["starts_at"], w["ends_at"], a, z)
            ),
            None,
        )

    def _suits(self, b: Bus, k: Block, a: str, z: str) -> bool:
        return (
            (b["articulated"] or not k["articulated"])
            and not self._bus_unsafe(b)
            and self._on_the_road(b, a, z) is None
            and self._plugged_in(b, a, z) is None
            and self._km_of(k, a, z) <= self._reach(b, a)
        )

    def _bare(self, k: Block) -> bool:
        return not k["withdrawn"] and not self._workings_by_block.get(k["id"], {})

    def _driven(self, m: Driver, d: str) -> int:
        return sum(
            self._turn_minutes(t)
            for t in self._turns_by_driver.get(m["id"], {}).values()
            if t["starts_at"][:10] == d
        )

    def _clash(self, m: Driver, a: str, z: str, own: Turn) -> Turn | None:
        return next(
            (
                t
                for t in sorted(self._turns_by_driver.get(m["id"], {}).values(), key=_age)
                if t is not own
                and _overlap(t["starts_at"], t["ends_at"], a, z)
            ),
            None,
        )

    def _no_break(self, m: Driver, a: str, z: str, own: Turn) -> Turn | None:
        return next(
            (
                t
                for t in sorted(self._turns_by_driver.get(m["id"], {}).values(), key=_age)
                if t is not own
                and abs(_minutes_between(min(t["ends_at"], z), max(t["starts_at"], a))) < 30
                and _minutes_between(min(t["starts_at"], a), max(t["ends_at"], z)) > 270
            ),
            None,
        )

    def _at_wheel(self, m: Driver, s: str, a: str, z: str, own: Turn) -> int:
        return (
            max(0, _minutes_between(max(a, s), min(z, _plus_minutes(s, 300))))
            + sum(
                max(0, _minutes_between(max(t["starts_at"], s), min(t["ends_at"], _plus_minutes(s, 300))))
                for t in self._turns_by_driver.get(m["id"], {}).values()
                if t is not own
            )
        )

    def _overtired(self, m: Driver, a: str, z: str, own: Turn) -> bool:
        return (
            self._at_wheel(m, a, a, z, own) > 270
            or any(
                self._at_wheel(m, t["starts_at"], a, z, own) > 270
                for t in self._turns_by_driver.get(m["id"], {}).values()
                if t is not own
            )
        )

    def _no_rest(self, m: Driver, a: str, z: str, own: Turn) -> Turn | None:
        return next(
            (
                t
                for t in sorted(self._turns_by_driver.get(m["id"], {}).values(), key=_age)
                if t is not own
                and t["starts_at"][:10] != a[:10]
                and _minutes_between(min(t["ends_at"], z), max(t["starts_at"], a)) < 660
            ),
            None,
        )

    def _may_drive(self, m: Driver, t: Turn) -> bool:
        return (
            (m["articulated"] or not self.blocks[t["block_id"]]["articulated"])
            and self._clash(m, t["starts_at"], t["ends_at"], t) is None
            and not self._overtired(m, t["starts_at"], t["ends_at"], t)
            and self._turn_minutes(t) <= 270
            and self._no_break(m, t["starts_at"], t["ends_at"], t) is None
            and self._no_rest(m, t["starts_at"], t["ends_at"], t) is None
            and self._driven(m, t["starts_at"][:10]) + self._turn_minutes(t) <= 540
        )

    def _breaks_rule_1_a(self, a: Working) -> bool:
        """Whether this is broken: a block is worked by one bus at a time, within its hours."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], b["starts_at"], b["ends_at"])
            for b in self._workings_by_block.get(a["block_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_1_w(self, w: Working) -> bool:
        """Whether this is broken: a block is worked by one bus at a time, within its hours."""
        return (
            self.blocks[w["block_id"]]["starts_at"] > w["starts_at"]
            or w["starts_at"] >= w["ends_at"]
            or w["ends_at"] > self._block_ends_at(self.blocks[w["block_id"]])
        )

    def _breaks_rule_2_a(self, a: Working) -> bool:
        """Whether this is broken: a bus is in one place at a time."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], b["starts_at"], b["ends_at"])
            for b in self._workings_by_bus.get(a["bus_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_2_a_again(self, a: Working) -> bool:
        """Whether this is broken: a bus is in one place at a time."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], c["starts_at"], c["ends_at"])
            for c in self._chargings_by_bus.get(a["bus_id"], {}).values()
        )

    def _breaks_rule_2_c(self, c: Charging) -> bool:
        """Whether this is broken: a bus is in one place at a time."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], c["starts_at"], c["ends_at"])
            for a in self._workings_by_bus.get(c["bus_id"], {}).values()
        )

    def _breaks_rule_3_a(self, a: Charging) -> bool:
        """Whether this is broken: a charger takes one bus at a time, and only electric buses."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], b["starts_at"], b["ends_at"])
            for b in _distinct(
                [
                    *self._chargings_by_charger.get(a["charger_id"], {}).values(),
                    *self._chargings_by_bus.get(a["bus_id"], {}).values(),
                ]
            )
            if a is not b
        )

    def _breaks_rule_3_c(self, c: Charging) -> bool:
        """Whether this is broken: a charger takes one bus at a time, and only electric buses."""
        return self.buses[c["bus_id"]]["range_km"] is None or c["starts_at"] >= c["ends_at"]

    def _breaks_rule_4_w(self, w: Working) -> bool:
        """Whether this is broken: an electric bus goes no further on a day than its range and what it was charged.
        """
        return (
            self.buses[w["bus_id"]]["range_km"] is not None
            and self._km_left(self.buses[w["bus_id"]], w["starts_at"][:10]) < 0
        )

    def _breaks_rule_4_c(self, c: Charging) -> bool:
        """Whether this is broken: an electric bus goes no further on a day than its range and what it was charged.
        """
        return self._km_left(self.buses[c["bus_id"]], c["starts_at"][:10]) < 0

    def _breaks_rule_5(self, w: Working) -> bool:
        """Whether this is broken: an electric bus is never further on its way than its charge up to then allows."""
        return (
            self.buses[w["bus_id"]]["range_km"] is not None
            and self._range_at(self.buses[w["bus_id"]], w["ends_at"]) < 0
        )

    def _breaks_rule_6_d(self, d: Defect) -> bool:
        """Whether this is broken: a bus with an unsafe defect is not in service until it is mended."""
        return (
            d["unsafe"]
            and any(
                _overlap(
                    w["starts_at"],
                    w["ends_at"],
                    d["reported_at"],
                    d["mended_at"] if d["mended_at"] is not None else max(w["ends_at"], d["reported_at"]),
                )
                for w in self._workings_by_bus.get(d["bus_id"], {}).values()
            )
        )

    def _breaks_rule_6_w(self, w: Working) -> bool:
        """Whether this is broken: a bus with an unsafe defect is not in service until it is mended."""
        return any(
            _overlap(
                w["starts_at"],
                w["ends_at"],
                d["reported_at"],
                d["mended_at"] if d["mended_at"] is not None else max(w["ends_at"], d["reported_at"]),
            )
            for d in self._defects_by_bus.get(w["bus_id"], {}).values()
            if d["unsafe"]
        )

    def _breaks_rule_7_w(self, w: Working) -> bool:
        """Whether this is broken: blocks for articulated buses get articulated buses, and drivers who are trained on
        them.
        """
        return not self.buses[w["bus_id"]]["articulated"] and self.blocks[w["block_id"]]["articulated"]

    def _breaks_rule_7_t(self, t: Turn) -> bool:
        """Whether this is broken: blocks for articulated buses get articulated buses, and drivers who are trained on
        them.
        """
        return (
            t["driver_id"] is not None
            and not self.drivers[t["driver_id"]]["articulated"]
            and self.blocks[t["block_id"]]["articulated"]
        )

    def _breaks_rule_8_w(self, w: Working) -> bool:
        """Whether this is broken: a withdrawn block has no bus and no driver."""
        return self.blocks[w["block_id"]]["withdrawn"]

    def _breaks_rule_8_t(self, t: Turn) -> bool:
        """Whether this is broken: a withdrawn block has no bus and no driver."""
        return self.blocks[t["block_id"]]["withdrawn"] and t["driver_id"] is not None

    def _breaks_rule_9_a(self, a: Turn) -> bool:
        """Whether this is broken: the turns of a block do not overlap and lie within its hours."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], b["starts_at"], b["ends_at"])
            for b in self._turns_by_block.get(a["block_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_9_t(self, t: Turn) -> bool:
        """Whether this is broken: the turns of a block do not overlap and lie within its hours."""
        return (
            self.blocks[t["block_id"]]["starts_at"] > t["starts_at"]
            or t["starts_at"] >= t["ends_at"]
            or t["ends_at"] > self._block_ends_at(self.blocks[t["block_id"]])
        )

    def _breaks_rule_10_a(self, a: Turn) -> bool:
        """Whether this is broken: nobody drives two turns at a time, or more than nine hours on a day."""
        return (
            a["driver_id"] is not None
            and any(
                _overlap(a["starts_at"], a["ends_at"], b["starts_at"], b["ends_at"])
                for b in self._turns_by_driver.get(a["driver_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_10_b(self, b: Turn) -> bool:
        """Whether this is broken: nobody drives two turns at a time, or more than nine hours on a day."""
        return any(
            _overlap(a["starts_at"], a["ends_at"], b["starts_at"], b["ends_at"])
            for a in self._turns_by_driver.get(b["driver_id"], {}).values()
            if a is not b
            and a["driver_id"] is not None
        )

    def _breaks_rule_10_t(self, t: Turn) -> bool:
        """Whether this is broken: nobody drives two turns at a time, or more than nine hours on a day."""
        return t["driver_id"] is not None and self._driven(self.drivers[t["driver_id"]], t["starts_at"][:10]) > 540

    def _breaks_rule_11(self, t: Turn) -> bool:
        """Whether this is broken: nobody drives more than four and a half hours without half an hour of breaks."""
        return not (
            t["driver_id"] is None
            or self._turn_minutes(t) <= 270
            and self._no_break(self.drivers[t["driver_id"]], t["starts_at"], t["ends_at"], t) is None
            and self._at_wheel(self.drivers[t["driver_id"]], t["starts_at"], t["starts_at"], t["ends_at"], t) <= 270
        )

    def _breaks_rule_12(self, t: Turn) -> bool:
        """Whether this is broken: a driver rests for eleven hours between two days."""
        return (
            t["driver_id"] is not None
            and self._no_rest(self.drivers[t["driver_id"]], t["starts_at"], t["ends_at"], t) is not None
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
            case "chargings":
                self._chargings_by_bus.setdefault(record["bus_id"], {})[record["id"]] = record
                self._chargings_by_charger.setdefault(record["charger_id"], {})[record["id"]] = record
            case "defects":
                self._defects_by_bus.setdefault(record["bus_id"], {})[record["id"]] = record
                self._defects_by_bus_what.setdefault((record["bus_id"], record["what"]), {})[record["id"]] = record
            case "blocks":
                self._blocks_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "workings":
                self._workings_by_block.setdefault(record["block_id"], {})[record["id"]] = record
                self._workings_by_bus.setdefault(record["bus_id"], {})[record["id"]] = record
            case "turns":
                self._turns_by_block.setdefault(record["block_id"], {})[record["id"]] = record
                self._turns_by_driver.setdefault(record["driver_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "chargings":
                del self._chargings_by_bus[record["bus_id"]][record["id"]]
                del self._chargings_by_charger[record["charger_id"]][record["id"]]
            case "defects":
                del self._defects_by_bus[record["bus_id"]][record["id"]]
                del self._defects_by_bus_what[record["bus_id"], record["what"]][record["id"]]
            case "blocks":
                del self._blocks_by_number[record["number"]][record["id"]]
            case "workings":
                del self._workings_by_block[record["block_id"]][record["id"]]
                del self._workings_by_bus[record["bus_id"]][record["id"]]
            case "turns":
                del self._turns_by_block[record["block_id"]][record["id"]]
                del self._turns_by_driver[record["driver_id"]][record["id"]]
