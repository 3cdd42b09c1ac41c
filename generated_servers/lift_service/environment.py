"""Lift service. Compiled from blueprint.yaml; run `envscaler build lift_service` after changing it there.

Looks after lifts under contracts with response times, sends technicians of the region to breakdowns with
trapped people first, and keeps certificates from running out.
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
    "A lift has one breakdown in hand at a time.",
    "A lift with a breakdown in hand stands still.",
    "Technicians work in their own regions only.",
    "A technician has two jobs at most, and none while off call.",
    "A technician is at one place at a time.",
    "Assigned and later breakdowns have a technician, and open ones have none.",
    "Nobody is trapped in a lift whose breakdown is closed, and such a breakdown has a charge.",
    "Whoever is on site has arrived.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "report_breakdown",
    "send_technician",
    "call_technician_back",
    "note_arrival",
    "free_people",
    "close_breakdown",
    "record_inspection",
    "record_service",
    "start_lift",
    "stop_lift",
    "change_duty",
    "extend_contract",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "buildings": ("name",),
    "contracts": (),
    "lifts": ("tag",),
    "technicians": ("name",),
    "breakdowns": ("number",),
    "inspections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("breakdowns", "lift_id"),
    ("breakdowns", "number"),
    ("breakdowns", "status"),
    ("breakdowns", "technician_id"),
    ("contracts", "building_id"),
    ("inspections", "lift_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Building(TypedDict):
    id: str
    name: str
    region: Literal["north", "south", "harbour", "hills"]


class Contract(TypedDict):
    id: str
    building_id: str
    level: Literal["basic", "full"]
    response_minutes: int
    runs_until: str


class Lift(TypedDict):
    id: str
    tag: str
    building_id: str
    floors: int
    certificate_until: str
    serviced_on: str | None
    status: Literal["running", "stopped"]


class Technician(TypedDict):
    id: str
    name: str
    regions: list[Literal["north", "south", "harbour", "hills"]]
    rate: int
    on_call: bool


class Breakdown(TypedDict):
    id: str
    number: str
    lift_id: str
    trapped: int
    reported_at: str
    deadline: str
    technician_id: str | None
    arrived_at: str | None
    charge: int | None
    status: Literal["open", "assigned", "on_site", "closed"]


class Inspection(TypedDict):
    id: str
    lift_id: str
    done_on: str
    inspector: str
    passed: bool


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class LiftService:
    """Looks after lifts under contracts with response times, sends technicians of the region to breakdowns
    with trapped people first, and keeps certificates from running out.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.buildings: dict[str, Building] = _copied(config.get("buildings", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.lifts: dict[str, Lift] = _copied(config.get("lifts", {}))
        self.technicians: dict[str, Technician] = _copied(config.get("technicians", {}))
        self.breakdowns: dict[str, Breakdown] = _copied(config.get("breakdowns", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.now: str = config.get("now", "2026-11-12T08:20")
        self.counters: dict[str, int] = {
            "building": len(self.buildings),
            "contract": len(self.contracts),
            "lift": len(self.lifts),
            "technician": len(self.technicians),
            "breakdown": len(self.breakdowns),
            "inspection": len(self.inspections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contracts_by_building: dict[Any, dict[str, Contract]] = {}
        self._breakdowns_by_lift: dict[Any, dict[str, Breakdown]] = {}
        self._breakdowns_by_number: dict[Any, dict[str, Breakdown]] = {}
        self._breakdowns_by_status: dict[Any, dict[str, Breakdown]] = {}
        self._breakdowns_by_technician: dict[Any, dict[str, Breakdown]] = {}
        self._breakdowns_by_technician_status: dict[Any, dict[str, Breakdown]] = {}
        self._inspections_by_lift: dict[Any, dict[str, Inspection]] = {}
        for contract in self.contracts.values():
            self._link("contracts", contract)
        for breakdown in self.breakdowns.values():
            self._link("breakdowns", breakdown)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)

    def waiting_list(
        self,
        region: Literal["north", "south", "harbour", "hills"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Breakdowns that nobody has arrived at, trapped people first and then by deadline.

        Args:
            region (str, optional): Only lifts in this region: north, south, harbour or hills. If left out, lifts
                in all regions are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "breakdowns": records}} or {"success": False, "error":
                why not}
        """
        found = [
            c
            for c in self.breakdowns.values()
            if c["status"] in ("open", "assigned")
            and (region is None or self.buildings[self.lifts[c["lift_id"]]["building_id"]]["region"] == region)
        ]
        found.sort(key=lambda c: (-(c["trapped"] > 0), c["deadline"], c["number"], _age(c)))
        return _found(
            {
                "total": len(found),
                "breakdowns": [
                    {
                        "id": c["id"],
                        "number": c["number"],
                        "lift": self.lifts[c["lift_id"]]["tag"],
                        "trapped": c["trapped"],
                        "deadline": c["deadline"],
                        "late": c["deadline"] < self.now,
                        "status": c["status"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def who_can_go(self, breakdown_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Technicians who can be sent to a breakdown, the least busy and cheapest first.

        Args:
            breakdown_id (str): Id of the breakdown, such as BREAKDOWN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "technicians": records}} or {"success": False, "error":
                why not}
        """
        breakdown = self.breakdowns.get(breakdown_id)
        if breakdown is None:
            return _refused(f"There is no breakdown {breakdown_id!r}.")
        found = [t for t in self.technicians.values() if self._can_go(t, breakdown)]
        found.sort(key=lambda t: (self._technician_jobs(t), t["rate"], t["name"], _age(t)))
        return _found({"total": len(found), "technicians": [self._show_technician(t) for t in _page(found, offset)]})

    def certificates_ending(
        self,
        by_day: Date,
        building_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lifts whose certificate ends by a day, the soonest first.

        Args:
            by_day (str): Last day of a certificate that is listed, as YYYY-MM-DD.
            building_id (str, optional): Only lifts in this building; an id such as BUILDING-00001. If left out,
                lifts in all buildings are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lifts": records}} or {"success": False, "error": why
                not}
        """
        building = self.buildings.get(building_id) if building_id is not None else None
        if building_id is not None and building is None:
            return _refused(f"There is no building {building_id!r}.")
        found = [
            l
            for l in self.lifts.values()
            if l["certificate_until"] <= by_day
            and (building_id is None or l["building_id"] == building_id)
        ]
        found.sort(key=lambda l: (l["certificate_until"], l["tag"], _age(l)))
        shown = [self._show_lift(l) for l in _page(found, offset)]
        return _found({"total": len(found), "lifts": shown}, self._names_of_lifts(shown))

    def list_buildings(
        self,
        name: Text | None = None,
        region: Literal["north", "south", "harbour", "hills"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the buildings, oldest first, all of them or only some.

        Args:
            name (str, optional): Only buildings whose name contains this text.
            region (str, optional): Only buildings with this region.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "buildings": records}}
        """
        found = [
            building
            for building in self.buildings.values()
            if (name is None or name.casefold() in building["name"].casefold())
            and (region is None or building["region"] == region)
        ]
        return _found({"total": len(found), "buildings": [{**building} for building in _page(found, offset)]})

    def list_contracts(
        self,
        building_id: str | None = None,
        level: Literal["basic", "full"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            building_id (str, optional): Only contracts of this building.
            level (str, optional): Only contracts with this level.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        if building_id is not None and building_id not in self.buildings:
            return _refused(f"There is no building {building_id!r}.")
        found = [
            contract
            for contract in self.contracts.values()
            if (building_id is None or contract["building_id"] == building_id)
            and (level is None or contract["level"] == level)
        ]
        shown = [{**contract} for contract in _page(found, offset)]
        return _found({"total": len(found), "contracts": shown}, self._names_of_contracts(shown))

    def get_lift(self, lift_id: str) -> Result:
        """Look up one lift by its id.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        shown = self._show_lift(lift)
        return _found(shown, self._names_of_lifts([shown]))

    def list_lifts(
        self,
        tag: Text | None = None,
        building_id: str | None = None,
        status: Literal["running", "stopped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lifts, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only lifts whose tag contains this text.
            building_id (str, optional): Only lifts of this building.
            status (str, optional): Only lifts with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lifts": records}}
        """
        if building_id is not None and building_id not in self.buildings:
            return _refused(f"There is no building {building_id!r}.")
        found = [
            lift
            for lift in self.lifts.values()
            if (tag is None or tag.casefold() in lift["tag"].casefold())
            and (building_id is None or lift["building_id"] == building_id)
            and (status is None or lift["status"] == status)
        ]
        shown = [self._show_lift(lift) for lift in _page(found, offset)]
        return _found({"total": len(found), "lifts": shown}, self._names_of_lifts(shown))

    def list_technicians(
        self,
        name: Text | None = None,
        on_call: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the technicians, oldest first, all of them or only some.

        Args:
            name (str, optional): Only technicians whose name contains this text.
            on_call (bool, optional): Only technicians that are on call (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "technicians": records}}
        """
        found = [
            technician
            for technician in self.technicians.values()
            if (name is None or name.casefold() in technician["name"].casefold())
            and (on_call is None or technician["on_call"] == on_call)
        ]
        return _found(
            {
                "total": len(found),
                "technicians": [self._show_technician(technician) for technician in _page(found, offset)],
            }
        )

    def list_breakdowns(
        self,
        number: Text | None = None,
        lift_id: str | None = None,
        technician_id: str | None = None,
        status: Literal["open", "assigned", "on_site", "closed"] | None = None,
        reported_at_from: Date | None = None,
        reported_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the breakdowns, oldest first, all of them or only some.

        Args:
            number (str, optional): Only breakdowns whose number contains this text.
            lift_id (str, optional): Only breakdowns of this lift.
            technician_id (str, optional): Only breakdowns of this technician.
            status (str, optional): Only breakdowns with this status.
            reported_at_from (str, optional): Only breakdowns whose `reported_at` is on this day or later.
            reported_at_to (str, optional): Only breakdowns whose `reported_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "breakdowns": records}}
        """
        if lift_id is not None and lift_id not in self.lifts:
            return _refused(f"There is no lift {lift_id!r}.")
        if technician_id is not None and technician_id not in self.technicians:
            return _refused(f"There is no technician {technician_id!r}.")
        found = [
            breakdown
            for breakdown in self.breakdowns.values()
            if (number is None or number.casefold() in breakdown["number"].casefold())
            and (lift_id is None or breakdown["lift_id"] == lift_id)
            and (technician_id is None or breakdown["technician_id"] == technician_id)
            and (status is None or breakdown["status"] == status)
            and (reported_at_from is None or breakdown["reported_at"][:10] >= reported_at_from)
            and (reported_at_to is None or breakdown["reported_at"][:10] <= reported_at_to)
        ]
        shown = [{**breakdown} for breakdown in _page(found, offset)]
        return _found({"total": len(found), "breakdowns": shown}, self._names_of_breakdowns(shown))

    def list_inspections(
        self,
        lift_id: str | None = None,
        passed: bool | None = None,
        done_on_from: Date | None = None,
        done_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            lift_id (str, optional): Only inspections of this lift.
            passed (bool, optional): Only inspections with this value of `passed`.
            done_on_from (str, optional): Only inspections whose `done_on` is on this day or later.
            done_on_to (str, optional): Only inspections whose `done_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if lift_id is not None and lift_id not in self.lifts:
            return _refused(f"There is no lift {lift_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (lift_id is None or inspection["lift_id"] == lift_id)
            and (passed is None or inspection["passed"] == passed)
            and (done_on_from is None or inspection["done_on"] >= done_on_from)
            and (done_on_to is None or inspection["done_on"] <= done_on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def report_breakdown(
        self,
        number: Text,
        lift_id: str,
        trapped: Annotated[int, {"minimum": 0, "maximum": 12}],
    ) -> Result:
        """Report a lift that is stuck, with how many people are in it; the deadline comes from the contract.

        Args:
            number (str): Number of the new breakdown, not in use yet.
            lift_id (str): Id of the lift, such as LIFT-00001.
            trapped (int): People who are in the stuck lift, from 0 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        if self._breakdowns_by_number.get(number, {}):
            return _refused(f"There is a breakdown {number} already.")
        other = next(
            (
                c
                for c in sorted(self._breakdowns_by_lift.get(lift_id, {}).values(), key=_age)
                if c["status"] != "closed"
            ),
            None,
        )
        if other is not None:
            return _refused(f"{lift['tag']} has breakdown {other['number']} in hand.")
        terms = self._contract_of(self.buildings[lift["building_id"]], self.now[:10])
        self._journal = []
        changed_lifts: list[Any] = []
        if lift["status"] == "running":
            changed_lifts.append(lift)
            self._put("lifts", lift, "status", "stopped")
        breakdown: Breakdown = {
            "id": self._new_id("breakdown", "BREAKDOWN", self.breakdowns),
            "number": number,
            "lift_id": lift_id,
            "trapped": trapped,
            "reported_at": self.now,
            "deadline": _plus_minutes(self.now, terms["response_minutes"] if terms is not None else 480),
            "technician_id": None,
            "arrived_at": None,
            "charge": None,
            "status": "open",
        }
        self._add("breakdowns", breakdown)
        if len(self._breakdowns_by_number.get(breakdown["number"], {})) > 1:
            return self._take_back(f"There is already a breakdown with the number {breakdown['number']!r}.")
        if self._breaks_rule_1(breakdown):
            return self._take_back(RULES[0])
        for one_breakdown in _distinct(
            [
                breakdown,
                *[user for one in changed_lifts for user in self._breakdowns_by_lift.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_breakdown):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(breakdown):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(breakdown["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(breakdown):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(breakdown):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_c(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(breakdown):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: report {lift['tag']} with {trapped} people trapped (new: breakdown {breakdown['id']})."
            ),
            "data": {"breakdown_id": breakdown["id"], **self._changes()},
        }

    def send_technician(self, breakdown_id: str, technician_id: str) -> Result:
        """Send a technician of the region who has a hand free; trapped people come before everything else.

        Args:
            breakdown_id (str): Id of the breakdown, such as BREAKDOWN-00001.
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        breakdown = self.breakdowns.get(breakdown_id)
        if breakdown is None:
            return _refused(f"There is no breakdown {breakdown_id!r}.")
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if breakdown["status"] != "open":
            return _refused(f"Breakdown {breakdown['number']} is {breakdown['status']}.")
        if not technician["on_call"]:
            return _refused(f"{technician['name']} is off call.")
        if not self._covers(technician, self.lifts[breakdown["lift_id"]]):
            return _refused(
                f"{technician['name']} works in {', '.join(one for one in technician['regions'])}, and "
                f"{self.lifts[breakdown['lift_id']]['tag']} is in "
                f"{self.buildings[self.lifts[breakdown['lift_id']]['building_id']]['region']}."
            )
        if self._technician_jobs(technician) >= 2:
            return _refused(f"{technician['name']} has two jobs in hand.")
        stuck = self._stuck_waiting(technician)
        if breakdown["trapped"] <= 0 and stuck is not None:
            return _refused(
                f"People are trapped in {self.lifts[stuck['lift_id']]['tag']}, and {technician['name']} could go "
                "there first."
            )
        self._journal = []
        former_technician_id = breakdown["technician_id"]
        self._put("breakdowns", breakdown, "technician_id", technician_id)
        self._put("breakdowns", breakdown, "status", "assigned")
        if self._breaks_rule_1(breakdown):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(breakdown):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(breakdown):
            return self._take_back(RULES[2])
        for one_technician in _distinct(
            [self.technicians.get(breakdown["technician_id"]), self.technicians.get(former_technician_id)]
        ):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(breakdown):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(breakdown):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_c(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(breakdown):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: send {technician['name']} to {self.lifts[breakdown['lift_id']]['tag']}.",
            "data": self._changes(),
        }

    def call_technician_back(self, breakdown_id: str) -> Result:
        """Call back a technician who has not arrived; the breakdown is open again.

        Args:
            breakdown_id (str): Id of the breakdown, such as BREAKDOWN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        breakdown = self.breakdowns.get(breakdown_id)
        if breakdown is None:
            return _refused(f"There is no breakdown {breakdown_id!r}.")
        if breakdown["status"] != "assigned":
            return _refused(f"Breakdown {breakdown['number']} is {breakdown['status']}.")
        self._journal = []
        former_technician_id = breakdown["technician_id"]
        self._put("breakdowns", breakdown, "technician_id", None)
        self._put("breakdowns", breakdown, "status", "open")
        if self._breaks_rule_1(breakdown):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(breakdown):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(breakdown):
            return self._take_back(RULES[2])
        for one_technician in _distinct(
            [self.technicians.get(breakdown["technician_id"]), self.technicians.get(former_technician_id)]
        ):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(breakdown):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(breakdown):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_c(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(breakdown):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: call the technician of {breakdown['number']} back.",
            "data": self._changes(),
        }

    def note_arrival(self, breakdown_id: str) -> Result:
        """Note that the technician has arrived at the lift.

        Args:
            breakdown_id (str): Id of the breakdown, such as BREAKDOWN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        breakdown = self.breakdowns.get(breakdown_id)
        if breakdown is None:
            return _refused(f"There is no breakdown {breakdown_id!r}.")
        if breakdown["status"] != "assigned" or breakdown["technician_id"] is None:
            return _refused(f"Breakdown {breakdown['number']} is {breakdown['status']}.")
        if self._breakdowns_by_technician_status.get((breakdown["technician_id"], "on_site"), {}):
            return _refused(f"{self.technicians[breakdown['technician_id']]['name']} is still at another lift.")
        self._journal = []
        self._put("breakdowns", breakdown, "arrived_at", self.now)
        self._put("breakdowns", breakdown, "status", "on_site")
        if self._breaks_rule_1(breakdown):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(breakdown):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(breakdown):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(breakdown["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(breakdown):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(breakdown):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_c(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(breakdown):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: note the arrival at {self.lifts[breakdown['lift_id']]['tag']}.",
            "data": self._changes(),
        }

    def free_people(self, breakdown_id: str) -> Result:
        """Note that the trapped people are out.

        Args:
            breakdown_id (str): Id of the breakdown, such as BREAKDOWN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        breakdown = self.breakdowns.get(breakdown_id)
        if breakdown is None:
            return _refused(f"There is no breakdown {breakdown_id!r}.")
        if breakdown["status"] != "on_site":
            return _refused(f"Nobody is at {self.lifts[breakdown['lift_id']]['tag']} yet.")
        if breakdown["trapped"] <= 0:
            return _refused(f"Nobody is trapped in {self.lifts[breakdown['lift_id']]['tag']}.")
        self._journal = []
        self._put("breakdowns", breakdown, "trapped", 0)
        if self._breaks_rule_7_c(breakdown):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: note that everybody is out of {self.lifts[breakdown['lift_id']]['tag']}.",
            "data": self._changes(),
        }

    def close_breakdown(self, breakdown_id: str, work_hours: Annotated[int, {"minimum": 1, "maximum": 12}]) -> Result:
        """Close a breakdown; hours are charged unless a full contract covers them, and the lift runs again if its
        certificate is valid and it did not fail its last inspection.

        Args:
            breakdown_id (str): Id of the breakdown, such as BREAKDOWN-00001.
            work_hours (int): Work of the technician in hours, from 1 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        breakdown = self.breakdowns.get(breakdown_id)
        if breakdown is None:
            return _refused(f"There is no breakdown {breakdown_id!r}.")
        if breakdown["status"] != "on_site" or breakdown["technician_id"] is None:
            return _refused(f"Breakdown {breakdown['number']} is {breakdown['status']}.")
        if breakdown["trapped"] != 0:
            return _refused(f"{breakdown['trapped']} people are still in {self.lifts[breakdown['lift_id']]['tag']}.")
        self._journal = []
        changed_lifts: list[Any] = []
        charge = self.technicians[breakdown["technician_id"]]["rate"] * (
            0
            if any(
                k["level"] == "full"
                and k["runs_until"] >= self.now[:10]
                for k in self._contracts_by_building.get(self.lifts[breakdown["lift_id"]]["building_id"], {}).values()
            )
            else work_hours
        )
        if not 0 <= charge <= 500000:
            return self._take_back(f"The charge of {breakdown['number']} must be between 0.00 and 5,000.00.")
        self._put("breakdowns", breakdown, "charge", charge)
        self._put("breakdowns", breakdown, "status", "closed")
        last = min(
            self._inspections_by_lift.get(breakdown["lift_id"], {}).values(),
            key=lambda i: (_descending(i["done_on"]), _descending(i["id"]), _age(i)),
            default=None,
        )
        if (
            self.lifts[breakdown["lift_id"]]["certificate_until"] >= self.now[:10]
            and (last is None or last["passed"])
        ):
            lift = self.lifts[breakdown["lift_id"]]
            changed_lifts.append(lift)
            self._put("lifts", lift, "status", "running")
        if self._breaks_rule_1(breakdown):
            return self._take_back(RULES[0])
        for one_breakdown in _distinct(
            [
                breakdown,
                *[user for one in changed_lifts for user in self._breakdowns_by_lift.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_breakdown):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(breakdown):
            return self._take_back(RULES[2])
        for one_technician in _distinct([self.technicians.get(breakdown["technician_id"])]):
            if self._breaks_rule_4(one_technician):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(breakdown):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(breakdown):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_c(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(breakdown):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(breakdown):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: close breakdown {breakdown['number']} after {work_hours} hours.",
            "data": self._changes(),
        }

    def record_inspection(
        self,
        lift_id: str,
        inspector: Text,
        passed: bool,
        certificate_until: Date | None = None,
    ) -> Result:
        """Record an inspection; a lift that passes gets a new certificate, and one that fails stands still.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.
            inspector (str): Name of the person who inspected the lift.
            passed (bool): Whether the lift passed the inspection.
            certificate_until (str, optional): Last day of the new certificate, only for a lift that passed, as
                YYYY-MM-DD. If left out, there is no new certificate, as the lift failed.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        if passed != (certificate_until is not None):
            return _refused("A certificate is given where a lift passes, and only there.")
        if certificate_until is not None and certificate_until <= lift["certificate_until"]:
            return _refused(f"{lift['tag']} is certified until {lift['certificate_until']} already.")
        if certificate_until is not None and certificate_until <= self.now[:10]:
            return _refused(f"A certificate that ends on {certificate_until} is over already.")
        self._journal = []
        changed_lifts: list[Any] = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "lift_id": lift_id,
            "done_on": self.now[:10],
            "inspector": inspector,
            "passed": passed,
        }
        self._add("inspections", inspection)
        if certificate_until is not None:
            self._put("lifts", lift, "certificate_until", certificate_until)
        if not passed and lift["status"] == "running":
            changed_lifts.append(lift)
            self._put("lifts", lift, "status", "stopped")
        for one_breakdown in _distinct(
            [user for one in changed_lifts for user in self._breakdowns_by_lift.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_breakdown):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: record the inspection of {lift['tag']} (new: inspection {inspection['id']}).",
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def record_service(self, lift_id: str, technician_id: str) -> Result:
        """Record the planned service of a lift, done today by a technician of its region.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if not self._covers(technician, lift):
            return _refused(
                f"{technician['name']} works in {', '.join(one for one in technician['regions'])}, and "
                f"{lift['tag']} is in {self.buildings[lift['building_id']]['region']}."
            )
        if any(c["status"] != "closed" for c in self._breakdowns_by_lift.get(lift_id, {}).values()):
            return _refused(f"{lift['tag']} has a breakdown in hand, which comes first.")
        if lift["serviced_on"] is not None and lift["serviced_on"] >= self.now[:10]:
            return _refused(f"{lift['tag']} was serviced today.")
        self._journal = []
        self._put("lifts", lift, "serviced_on", self.now[:10])
        return {
            "success": True,
            "message": f"Done: record the service of {lift['tag']} by {technician['name']}.",
            "data": self._changes(),
        }

    def start_lift(self, lift_id: str) -> Result:
        """Start a lift that stands still, with a valid certificate and no breakdown in hand.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        if lift["status"] != "stopped":
            return _refused(f"{lift['tag']} runs.")
        if lift["certificate_until"] < self.now[:10]:
            return _refused(f"The certificate of {lift['tag']} ended on {lift['certificate_until']}.")
        if any(c["status"] != "closed" for c in self._breakdowns_by_lift.get(lift_id, {}).values()):
            return _refused(f"{lift['tag']} has a breakdown in hand.")
        last = min(
            self._inspections_by_lift.get(lift_id, {}).values(),
            key=lambda i: (_descending(i["done_on"]), _descending(i["id"]), _age(i)),
            default=None,
        )
        if last is not None and not last["passed"]:
            return _refused(f"{lift['tag']} failed its last inspection.")
        self._journal = []
        self._put("lifts", lift, "status", "running")
        for one_breakdown in _distinct(self._breakdowns_by_lift.get(lift["id"], {}).values()):
            if self._breaks_rule_2(one_breakdown):
                return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: start {lift['tag']}.", "data": self._changes()}

    def stop_lift(self, lift_id: str) -> Result:
        """Take a lift out of service.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        if lift["status"] != "running":
            return _refused(f"{lift['tag']} stands still.")
        self._journal = []
        self._put("lifts", lift, "status", "stopped")
        for one_breakdown in _distinct(self._breakdowns_by_lift.get(lift["id"], {}).values()):
            if self._breaks_rule_2(one_breakdown):
                return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: stop {lift['tag']}.", "data": self._changes()}

    def change_duty(
        self,
        technician_id: str,
        on_call: bool,
        region: Literal["north", "south", "harbour", "hills"] | None = None,
    ) -> Result:
        """Put a technician on or off call, or add a region that the technician covers.

        Args:
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.
            on_call (bool): Whether the technician is on call.
            region (str, optional): Region that the technician covers in addition: north, south, harbour or hills.
                If left out, the regions stay as they are.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if not (on_call or self._technician_jobs(technician) == 0):
            return _refused(f"{technician['name']} has {self._technician_jobs(technician)} jobs in hand.")
        if on_call == technician["on_call"] and region is None:
            return _refused("Nothing would change.")
        if region is not None and region in technician["regions"]:
            return _refused(f"{technician['name']} works in {region} already.")
        self._journal = []
        changed_technicians: list[Any] = []
        self._put("technicians", technician, "on_call", on_call)
        if region is not None:
            changed_technicians.append(technician)
            self._put("technicians", technician, "regions", [*(technician["regions"] + [region])])
        for one_breakdown in _distinct(
            [
                user
                for one in changed_technicians
                for user in self._breakdowns_by_technician.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_breakdown):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(technician):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: change the duty of {technician['name']}.",
            "data": self._changes(),
        }

    def extend_contract(self, contract_id: str, runs_until: Date) -> Result:
        """Extend a contract.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            runs_until (str): New last day of the contract, later than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if runs_until <= contract["runs_until"]:
            return _refused(f"It runs until {contract['runs_until']} already.")
        self._journal = []
        self._put("contracts", contract, "runs_until", runs_until)
        return {
            "success": True,
            "message": (
                f"Done: extend the contract of {self.buildings[contract['building_id']]['name']} to {runs_until}."
            ),
            "data": self._changes(),
        }

    def _show_lift(self, lift: Lift) -> dict[str, Any]:
        """The lift as an answer shows it."""
        return {**lift, "breakdowns": self._lift_breakdowns(lift)}

    def _show_technician(self, technician: Technician) -> dict[str, Any]:
        """The technician as an answer shows it."""
        return {**technician, "regions": [*technician["regions"]], "jobs": self._technician_jobs(technician)}

    def _names_of_contracts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contracts point to."""
        return _names((self.buildings, "name", [row["building_id"] for row in shown]))

    def _names_of_lifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lifts point to."""
        return _names((self.buildings, "name", [row["building_id"] for row in shown]))

    def _names_of_breakdowns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that breakdowns point to."""
        return _names(
            (self.lifts, "tag", [row["lift_id"] for row in shown]),
            (self.technicians, "name", [row["technician_id"] for row in shown]),
        )

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names((self.lifts, "tag", [row["lift_id"] for row in shown]))

    def _lift_breakdowns(self, lift: Lift) -> int:
        """The breakdowns of a lift."""
        return len(self._breakdowns_by_lift.get(lift["id"], {}))

    def _technician_jobs(self, technician: Technician) -> int:
        """The jobs of a technician."""
        return sum(
            1
            for c in self._breakdowns_by_technician.get(technician["id"], {}).values()
            if c["status"] in ("assigned", "on_site")
        )

    def _contract_of(self, b: Building, d: str) -> Contract | None:
        return min(
            (c for c in self._contracts_by_building.get(b["id"], {}).values() if c["runs_until"] >= d),
            key=lambda c: (c["response_minutes"], _age(c)),
            default=None,
        )

    def _covers(self, t: Technician, l: Lift) -> bool:
        return self.buildings[l["building_id"]]["region"] in t["regions"]

    def _stuck_waiting(self, t: Technician) -> Breakdown | None:
        return min(
            (
                c
                for c in self._breakdowns_by_status.get("open", {}).values()
                if c["trapped"] > 0
                and self._covers(t, self.lifts[c["lift_id"]])
            ),
            key=lambda c: (c["reported_at"], _age(c)),
            default=None,
        )

    def _can_go(self, t: Technician, c: Breakdown) -> bool:
        return (
            t["on_call"]
            and self._covers(t, self.lifts[c["lift_id"]])
            and self._technician_jobs(t) < 2
            and (c["trapped"] > 0 or self._stuck_waiting(t) is None)
        )

    def _breaks_rule_1(self, c: Breakdown) -> bool:
        """Whether this is broken: a lift has one breakdown in hand at a time."""
        return (
            c["status"] != "closed"
            and any(
                other_c is not c
                for other_c in self._breakdowns_by_lift.get(c["lift_id"], {}).values()
                if other_c["status"] != "closed"
            )
        )

    def _breaks_rule_2(self, c: Breakdown) -> bool:
        """Whether this is broken: a lift with a breakdown in hand stands still."""
        return c["status"] != "closed" and self.lifts[c["lift_id"]]["status"] != "stopped"

    def _breaks_rule_3(self, c: Breakdown) -> bool:
        """Whether this is broken: technicians work in their own regions only."""
        return (
            c["status"] in ("assigned", "on_site")
            and not (
                c["technician_id"] is None
                or self._covers(self.technicians[c["technician_id"]], self.lifts[c["lift_id"]])
            )
        )

    def _breaks_rule_4(self, t: Technician) -> bool:
        """Whether this is broken: a technician has two jobs at most, and none while off call."""
        return not (self._technician_jobs(t) <= 2 and (t["on_call"] or self._technician_jobs(t) == 0))

    def _breaks_rule_5(self, c: Breakdown) -> bool:
        """Whether this is broken: a technician is at one place at a time."""
        return (
            c["status"] == "on_site"
            and any(
                other_c is not c
                for other_c in self._breakdowns_by_technician_status.get((c["technician_id"], "on_site"), {}).values()
            )
        )

    def _breaks_rule_6(self, c: Breakdown) -> bool:
        """Whether this is broken: assigned and later breakdowns have a technician, and open ones have none."""
        return (c["status"] == "open") != (c["technician_id"] is None)

    def _breaks_rule_7_c(self, c: Breakdown) -> bool:
        """Whether this is broken: nobody is trapped in a lift whose breakdown is closed, and such a breakdown has a
        charge.
        """
        return c["trapped"] != 0 and c["status"] == "closed"

    def _breaks_rule_7_c_again(self, c: Breakdown) -> bool:
        """Whether this is broken: nobody is trapped in a lift whose breakdown is closed, and such a breakdown has a
        charge.
        """
        return (c["status"] == "closed") != (c["charge"] is not None)

    def _breaks_rule_8(self, c: Breakdown) -> bool:
        """Whether this is broken: whoever is on site has arrived."""
        return (c["status"] in ("on_site", "closed")) != (c["arrived_at"] is not None)

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
            case "contracts":
                self._contracts_by_building.setdefault(record["building_id"], {})[record["id"]] = record
            case "breakdowns":
                self._breakdowns_by_lift.setdefault(record["lift_id"], {})[record["id"]] = record
                self._breakdowns_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._breakdowns_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._breakdowns_by_technician.setdefault(record["technician_id"], {})[record["id"]] = record
                self._breakdowns_by_technician_status.setdefault(
                    (record["technician_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "inspections":
                self._inspections_by_lift.setdefault(record["lift_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contracts":
                del self._contracts_by_building[record["building_id"]][record["id"]]
            case "breakdowns":
                del self._breakdowns_by_lift[record["lift_id"]][record["id"]]
                del self._breakdowns_by_number[record["number"]][record["id"]]
                del self._breakdowns_by_status[record["status"]][record["id"]]
                del self._breakdowns_by_technician[record["technician_id"]][record["id"]]
                del self._breakdowns_by_technician_status[record["technician_id"], record["status"]][record["id"]]
            case "inspections":
                del self._inspections_by_lift[record["lift_id"]][record["id"]]
