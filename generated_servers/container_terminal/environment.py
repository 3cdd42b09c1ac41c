"""Container terminal. Compiled from blueprint.yaml; run `envscaler build container_terminal` after changing it there.

Runs the yard, gate and quay of a container terminal, with stacks of which only the top can be moved, weight
order on vessels, truck appointments and customs holds.
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
    "A container in the yard stands in a stack, one aboard lies in a bay, and any other is in neither.",
    "A stack has no gaps and no place holds two containers.",
    "A stack is never higher than its block allows.",
    "Containers of different sizes are never stacked on each other.",
    "A container stands in a block for its kind of cargo.",
    "A container lies only on the vessel it travels with.",
    "In a bay no container lies on a lighter one, and nothing lies between the tiers.",
    "A bay holds containers of one size.",
    "A bay carries no more than its limit and has no more tiers than it is built for.",
    "Nothing is loaded into a bay from which imports still have to be discharged.",
    "A container under an open hold neither leaves through the gate nor goes aboard.",
    "A container has one booked appointment at most, and the gate handles three trucks in a slot.",
    "A berth takes one vessel, and a vessel has one only while it lies alongside.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_appointment",
    "cancel_appointment",
    "gate_in",
    "gate_out",
    "restack",
    "discharge",
    "load_container",
    "place_hold",
    "release_hold",
    "roll_container",
    "sail_vessel",
    "berth_vessel",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "blocks": ("name",),
    "stacks": ("label",),
    "vessels": ("name",),
    "bays": ("label",),
    "containers": ("number",),
    "holds": (),
    "appointments": ("haulier",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("appointments", "at"),
    ("appointments", "container_id"),
    ("appointments", "status"),
    ("bays", "vessel_id"),
    ("containers", "bay_id"),
    ("containers", "direction"),
    ("containers", "stack_id"),
    ("containers", "status"),
    ("containers", "vessel_id"),
    ("holds", "container_id"),
    ("holds", "kind"),
    ("holds", "status"),
    ("stacks", "block_id"),
    ("vessels", "berth"),
    ("vessels", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Block(TypedDict):
    id: str
    name: str
    cargo: Literal["dry", "reefer", "hazardous"]
    tiers: int


class Stack(TypedDict):
    id: str
    label: str
    block_id: str


class Vessel(TypedDict):
    id: str
    name: str
    due: str
    berth: Literal["north_quay", "south_quay", "river_quay", "basin_quay", "west_quay", "east_quay"] | None
    status: Literal["expected", "alongside", "sailed"]


class Bay(TypedDict):
    id: str
    label: str
    vessel_id: str
    tiers: int
    limit: int


class Container(TypedDict):
    id: str
    number: str
    direction: Literal["import", "export"]
    line: Literal["nordlicht", "pacific_star", "levant", "tasman"]
    size: Literal["twenty", "forty"]
    weight: int
    cargo: Literal["dry", "reefer", "hazardous"]
    vessel_id: str
    stack_id: str | None
    bay_id: str | None
    tier: int
    status: Literal["expected", "yard", "aboard", "gone"]


class Hold(TypedDict):
    id: str
    container_id: str
    kind: Literal["customs", "line", "damage"]
    note: str
    placed_at: str
    status: Literal["open", "released"]


class Appointment(TypedDict):
    id: str
    haulier: str
    container_id: str
    plate: str
    at: str
    status: Literal["booked", "done", "cancelled"]


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


class ContainerTerminal:
    """Runs the yard, gate and quay of a container terminal, with stacks of which only the top can be
    moved, weight order on vessels, truck appointments and customs holds.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.blocks: dict[str, Block] = _copied(config.get("blocks", {}))
        self.stacks: dict[str, Stack] = _copied(config.get("stacks", {}))
        self.vessels: dict[str, Vessel] = _copied(config.get("vessels", {}))
        self.bays: dict[str, Bay] = _copied(config.get("bays", {}))
        self.containers: dict[str, Container] = _copied(config.get("containers", {}))
        self.holds: dict[str, Hold] = _copied(config.get("holds", {}))
        self.appointments: dict[str, Appointment] = _copied(config.get("appointments", {}))
        self.now: str = config.get("now", "2026-05-11T06:30")
        self.counters: dict[str, int] = {
            "block": len(self.blocks),
            "stack": len(self.stacks),
            "vessel": len(self.vessels),
            "bay": len(self.bays),
            "container": len(self.containers),
            "hold": len(self.holds),
            "appointment": len(self.appointments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._stacks_by_block: dict[Any, dict[str, Stack]] = {}
        self._vessels_by_berth_status: dict[Any, dict[str, Vessel]] = {}
        self._bays_by_vessel: dict[Any, dict[str, Bay]] = {}
        self._containers_by_bay: dict[Any, dict[str, Container]] = {}
        self._containers_by_bay_status: dict[Any, dict[str, Container]] = {}
        self._containers_by_direction_vessel: dict[Any, dict[str, Container]] = {}
        self._containers_by_direction_vessel_status: dict[Any, dict[str, Container]] = {}
        self._containers_by_stack: dict[Any, dict[str, Container]] = {}
        self._containers_by_stack_status: dict[Any, dict[str, Container]] = {}
        self._containers_by_vessel: dict[Any, dict[str, Container]] = {}
        self._holds_by_container: dict[Any, dict[str, Hold]] = {}
        self._holds_by_container_kind_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_container_status: dict[Any, dict[str, Hold]] = {}
        self._appointments_by_at_status: dict[Any, dict[str, Appointment]] = {}
        self._appointments_by_container_status: dict[Any, dict[str, Appointment]] = {}
        for stack in self.stacks.values():
            self._link("stacks", stack)
        for vessel in self.vessels.values():
            self._link("vessels", vessel)
        for bay in self.bays.values():
            self._link("bays", bay)
        for container in self.containers.values():
            self._link("containers", container)
        for hold in self.holds.values():
            self._link("holds", hold)
        for appointment in self.appointments.values():
            self._link("appointments", appointment)

    def stacks_for(
        self,
        container_id: str,
        block_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Stacks onto which a container may be set, the lowest first.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            block_id (str, optional): Block in which the stacks are; an id such as BLOCK-00001. If left out, the
                stacks of all blocks are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stacks": records}} or {"success": False, "error": why
                not}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        block = self.blocks.get(block_id) if block_id is not None else None
        if block_id is not None and block is None:
            return _refused(f"There is no block {block_id!r}.")
        found = [
            s
            for s in self.stacks.values()
            if self._fits(container, s)
            and (container["stack_id"] is None or container["stack_id"] != s["id"])
            and (block_id is None or s["block_id"] == block_id)
        ]
        found.sort(key=lambda s: (self._stack_height(s), s["label"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stacks": [
                    {
                        "id": s["id"],
                        "label": s["label"],
                        "block": self.blocks[s["block_id"]]["name"],
                        "height": self._stack_height(s),
                        "tiers": self.blocks[s["block_id"]]["tiers"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def load_list(self, vessel_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The exports still ashore for a vessel, the heaviest first.

        Args:
            vessel_id (str): Id of the vessel, such as VESSEL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "containers": records}} or {"success": False, "error":
                why not}
        """
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        found = [
            c
            for c in self._containers_by_vessel.get(vessel_id, {}).values()
            if (c["vessel_id"] == vessel_id and c["direction"] == "export" and c["status"] in ("expected", "yard"))
        ]
        found.sort(key=lambda c: (-c["weight"], c["number"], _age(c)))
        return _found(
            {
                "total": len(found),
                "containers": [
                    {
                        "id": c["id"],
                        "number": c["number"],
                        "weight": c["weight"],
                        "status": c["status"],
                        "on_top": self._on_top(c),
                        "held": self._held(c),
                        "bays": [
                            *[
                                b["label"]
                                for b in sorted(self._bays_by_vessel.get(c["vessel_id"], {}).values(), key=_age)
                                if self._fits_aboard(c, b)
                            ]
                        ],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def gate_list(
        self,
        on: Date,
        container_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The trucks that are booked for a day, in the order of their slots.

        Args:
            on (str): Day of the appointments, as YYYY-MM-DD.
            container_id (str, optional): Container for which trucks are booked; an id such as CONTAINER-00001. If
                left out, the trucks for all containers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "appointments": records}} or {"success": False, "error":
                why not}
        """
        container = self.containers.get(container_id) if container_id is not None else None
        if container_id is not None and container is None:
            return _refused(f"There is no container {container_id!r}.")
        found = [
            a
            for a in self.appointments.values()
            if (a["status"] == "booked" and a["at"][:10] == on)
            and (container_id is None or a["container_id"] == container_id)
        ]
        found.sort(key=lambda a: (a["at"], a["id"], _age(a)))
        return _found(
            {
                "total": len(found),
                "appointments": [
                    {
                        "id": a["id"],
                        "haulier": a["haulier"],
                        "plate": a["plate"],
                        "at": a["at"],
                        "container": self.containers[a["container_id"]]["number"],
                        "direction": self.containers[a["container_id"]]["direction"],
                        "on_top": self._on_top(self.containers[a["container_id"]]),
                        "held": self._held(self.containers[a["container_id"]]),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_blocks(
        self,
        name: Text | None = None,
        cargo: Literal["dry", "reefer", "hazardous"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the blocks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only blocks whose name contains this text.
            cargo (str, optional): Only blocks with this cargo.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "blocks": records}}
        """
        found = [
            block
            for block in self.blocks.values()
            if (name is None or name.casefold() in block["name"].casefold())
            and (cargo is None or block["cargo"] == cargo)
        ]
        return _found({"total": len(found), "blocks": [self._show_block(block) for block in _page(found, offset)]})

    def list_stacks(
        self,
        label: Text | None = None,
        block_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stacks, oldest first, all of them or only some.

        Args:
            label (str, optional): Only stacks whose label contains this text.
            block_id (str, optional): Only stacks of this block.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stacks": records}}
        """
        if block_id is not None and block_id not in self.blocks:
            return _refused(f"There is no block {block_id!r}.")
        found = [
            stack
            for stack in self.stacks.values()
            if (label is None or label.casefold() in stack["label"].casefold())
            and (block_id is None or stack["block_id"] == block_id)
        ]
        shown = [self._show_stack(stack) for stack in _page(found, offset)]
        return _found({"total": len(found), "stacks": shown}, self._names_of_stacks(shown))

    def list_vessels(
        self,
        name: Text | None = None,
        berth: Literal[
            "north_quay",
            "south_quay",
            "river_quay",
            "basin_quay",
            "west_quay",
            "east_quay",
        ] | None = None,
        status: Literal["expected", "alongside", "sailed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vessels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vessels whose name contains this text.
            berth (str, optional): Only vessels with this berth.
            status (str, optional): Only vessels with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vessels": records}}
        """
        found = [
            vessel
            for vessel in self.vessels.values()
            if (name is None or name.casefold() in vessel["name"].casefold())
            and (berth is None or vessel["berth"] == berth)
            and (status is None or vessel["status"] == status)
        ]
        return _found({"total": len(found), "vessels": [{**vessel} for vessel in _page(found, offset)]})

    def list_bays(
        self,
        label: Text | None = None,
        vessel_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bays, oldest first, all of them or only some.

        Args:
            label (str, optional): Only bays whose label contains this text.
            vessel_id (str, optional): Only bays of this vessel.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bays": records}}
        """
        if vessel_id is not None and vessel_id not in self.vessels:
            return _refused(f"There is no vessel {vessel_id!r}.")
        found = [
            bay
            for bay in self.bays.values()
            if (label is None or label.casefold() in bay["label"].casefold())
            and (vessel_id is None or bay["vessel_id"] == vessel_id)
        ]
        shown = [self._show_bay(bay) for bay in _page(found, offset)]
        return _found({"total": len(found), "bays": shown}, self._names_of_bays(shown))

    def list_containers(
        self,
        number: Text | None = None,
        direction: Literal["import", "export"] | None = None,
        line: Literal["nordlicht", "pacific_star", "levant", "tasman"] | None = None,
        size: Literal["twenty", "forty"] | None = None,
        cargo: Literal["dry", "reefer", "hazardous"] | None = None,
        vessel_id: str | None = None,
        stack_id: str | None = None,
        bay_id: str | None = None,
        status: Literal["expected", "yard", "aboard", "gone"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the containers, oldest first, all of them or only some.

        Args:
            number (str, optional): Only containers whose number contains this text.
            direction (str, optional): Only containers with this direction.
            line (str, optional): Only containers with this line.
            size (str, optional): Only containers with this size.
            cargo (str, optional): Only containers with this cargo.
            vessel_id (str, optional): Only containers of this vessel.
            stack_id (str, optional): Only containers of this stack.
            bay_id (str, optional): Only containers of this bay.
            status (str, optional): Only containers with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "containers": records}}
        """
        if vessel_id is not None and vessel_id not in self.vessels:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if stack_id is not None and stack_id not in self.stacks:
            return _refused(f"There is no stack {stack_id!r}.")
        if bay_id is not None and bay_id not in self.bays:
            return _refused(f"There is no bay {bay_id!r}.")
        found = [
            container
            for container in self.containers.values()
            if (number is None or number.casefold() in container["number"].casefold())
            and (direction is None or container["direction"] == direction)
            and (line is None or container["line"] == line)
            and (size is None or container["size"] == size)
            and (cargo is None or container["cargo"] == cargo)
            and (vessel_id is None or container["vessel_id"] == vessel_id)
            and (stack_id is None or container["stack_id"] == stack_id)
            and (bay_id is None or container["bay_id"] == bay_id)
            and (status is None or container["status"] == status)
        ]
        shown = [{**container} for container in _page(found, offset)]
        return _found({"total": len(found), "containers": shown}, self._names_of_containers(shown))

    def list_holds(
        self,
        container_id: str | None = None,
        kind: Literal["customs", "line", "damage"] | None = None,
        status: Literal["open", "released"] | None = None,
        placed_at_from: Date | None = None,
        placed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holds, oldest first, all of them or only some.

        Args:
            container_id (str, optional): Only holds of this container.
            kind (str, optional): Only holds with this kind.
            status (str, optional): Only holds with this status.
            placed_at_from (str, optional): Only holds whose `placed_at` is on this day or later.
            placed_at_to (str, optional): Only holds whose `placed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}}
        """
        if container_id is not None and container_id not in self.containers:
            return _refused(f"There is no container {container_id!r}.")
        found = [
            hold
            for hold in self.holds.values()
            if (container_id is None or hold["container_id"] == container_id)
            and (kind is None or hold["kind"] == kind)
            and (status is None or hold["status"] == status)
            and (placed_at_from is None or hold["placed_at"][:10] >= placed_at_from)
            and (placed_at_to is None or hold["placed_at"][:10] <= placed_at_to)
        ]
        shown = [{**hold} for hold in _page(found, offset)]
        return _found({"total": len(found), "holds": shown}, self._names_of_holds(shown))

    def list_appointments(
        self,
        haulier: Text | None = None,
        container_id: str | None = None,
        status: Literal["booked", "done", "cancelled"] | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the appointments, oldest first, all of them or only some.

        Args:
            haulier (str, optional): Only appointments whose haulier contains this text.
            container_id (str, optional): Only appointments of this container.
            status (str, optional): Only appointments with this status.
            at_from (str, optional): Only appointments whose `at` is on this day or later.
            at_to (str, optional): Only appointments whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "appointments": records}}
        """
        if container_id is not None and container_id not in self.containers:
            return _refused(f"There is no container {container_id!r}.")
        found = [
            appointment
            for appointment in self.appointments.values()
            if (haulier is None or haulier.casefold() in appointment["haulier"].casefold())
            and (container_id is None or appointment["container_id"] == container_id)
            and (status is None or appointment["status"] == status)
            and (at_from is None or appointment["at"][:10] >= at_from)
            and (at_to is None or appointment["at"][:10] <= at_to)
        ]
        shown = [{**appointment} for appointment in _page(found, offset)]
        return _found({"total": len(found), "appointments": shown}, self._names_of_appointments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_appointment(self, container_id: str, haulier: Text, plate: Text, at: DateTime) -> Result:
        """Book a truck for a container, to bring an export in or to fetch an import from the yard.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            haulier (str): Haulage company whose truck comes.
            plate (str): Number plate of the truck.
            at (str): When the truck comes, from 06 to 20 hours and within seven days, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        if container["direction"] != "import" and container["status"] != "expected":
            return _refused(f"Export {container['number']} is {container['status']} and needs no truck.")
        if container["direction"] != "export" and container["status"] != "yard":
            return _refused(f"Import {container['number']} is {container['status']}, not in the yard.")
        other = self._booking(container)
        if other is not None:
            return _refused(f"{other['haulier']} has an appointment for {container['number']} at {other['at']}.")
        if container["direction"] != "export" and self._held(container):
            return _refused(f"{container['number']} is under a hold; have it released first.")
        if at[:10] < self.now[:10]:
            return _refused(f"{at} is in the past.")
        if at[:10] > _plus_days(self.now[:10], 7):
            return _refused(f"Slots are given for seven days ahead, until {_plus_days(self.now[:10], 7)}.")
        if at[11:] < "06:00" or at[11:] > "20:00":
            return _refused("The gate takes trucks from 06:00 to 20:00.")
        if len(self._appointments_by_at_status.get((at, "booked"), {})) >= 3:
            return _refused(f"The slot at {at} is full.")
        self._journal = []
        appointment: Appointment = {
            "id": self._new_id("appointment", "APPOINTMENT", self.appointments),
            "haulier": haulier,
            "container_id": container_id,
            "plate": plate,
            "at": at,
            "status": "booked",
        }
        self._add("appointments", appointment)
        if self._breaks_rule_12_a(appointment):
            return self._take_back(RULES[11])
        if any(self._breaks_rule_12_a_again(one_appointment) for one_appointment in self.appointments.values()):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {haulier} for {container['number']} at {at} (new: appointment {appointment['id']})."
            ),
            "data": {"appointment_id": appointment["id"], **self._changes()},
        }

    def cancel_appointment(self, appointment_id: str) -> Result:
        """Cancel a booked truck appointment.

        Args:
            appointment_id (str): Id of the appointment, such as APPOINTMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appointment = self.appointments.get(appointment_id)
        if appointment is None:
            return _refused(f"There is no appointment {appointment_id!r}.")
        if appointment["status"] != "booked":
            return _refused(
                f"The appointment for {self.containers[appointment['container_id']]['number']} is "
                f"{appointment['status']}."
            )
        self._journal = []
        self._put("appointments", appointment, "status", "cancelled")
        if self._breaks_rule_12_a(appointment):
            return self._take_back(RULES[11])
        if any(self._breaks_rule_12_a_again(one_appointment) for one_appointment in self.appointments.values()):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the appointment of {appointment['haulier']} for "
                f"{self.containers[appointment['container_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def gate_in(self, appointment_id: str, stack_id: str) -> Result:
        """Take an export from the truck of today's appointment and set it on top of a stack.

        Args:
            appointment_id (str): Id of the appointment, such as APPOINTMENT-00001.
            stack_id (str): Id of the stack, such as STACK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appointment = self.appointments.get(appointment_id)
        if appointment is None:
            return _refused(f"There is no appointment {appointment_id!r}.")
        stack = self.stacks.get(stack_id)
        if stack is None:
            return _refused(f"There is no stack {stack_id!r}.")
        box = self.containers[appointment["container_id"]]
        if appointment["status"] != "booked":
            return _refused(f"The appointment for {box['number']} is {appointment['status']}.")
        if box["direction"] != "export":
            return _refused(f"{box['number']} is an import, so the truck has come to fetch it.")
        if box["status"] != "expected":
            return _refused(f"{box['number']} is {box['status']} already.")
        if appointment["at"][:10] != self.now[:10]:
            return _refused(f"The truck is booked for {appointment['at']}.")
        if self.blocks[stack["block_id"]]["cargo"] != box["cargo"]:
            return _refused(
                f"Block {self.blocks[stack['block_id']]['name']} is for {self.blocks[stack['block_id']]['cargo']} "
                f"cargo and {box['number']} is {box['cargo']}."
            )
        if self._stack_height(stack) >= self.blocks[stack["block_id"]]["tiers"]:
            return _refused(f"Stack {stack['label']} is full with {self._stack_height(stack)}.")
        if self._stack_top(stack) is not None and self._stack_top(stack)["size"] != box["size"]:
            return _refused(f"Stack {stack['label']} holds containers of another size.")
        self._journal = []
        place = self._stack_height(stack) + 1
        former_stack_id = box["stack_id"]
        self._put("containers", box, "stack_id", stack_id)
        if not 0 <= place <= 6:
            return self._take_back(f"The tier of {box['number']} must be between 0 and 6.")
        self._put("containers", box, "tier", place)
        self._put("containers", box, "status", "yard")
        self._put("appointments", appointment, "status", "done")
        if self._breaks_rule_1(box):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_c(box):
            return self._take_back(RULES[1])
        for one_container in _distinct(
            [
                box,
                *[
                    user
                    for one in [self.stacks.get(box["stack_id"])]
                    if one is not None
                    for user in self._containers_by_stack.get(box["stack_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.stacks.get(former_stack_id)]
                    if one is not None
                    for user in self._containers_by_stack.get(former_stack_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_container):
                return self._take_back(RULES[1])
        for one_stack in _distinct([self.stacks.get(box["stack_id"]), self.stacks.get(former_stack_id)]):
            if self._breaks_rule_3(one_stack):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(box):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_a(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(box):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(box):
            return self._take_back(RULES[9])
        for one_hold in _distinct(self._holds_by_container_status.get((box["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_hold):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_a(appointment):
            return self._take_back(RULES[11])
        if any(self._breaks_rule_12_a_again(one_appointment) for one_appointment in self.appointments.values()):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take {self.containers[appointment['container_id']]['number']} in from "
                f"{appointment['haulier']} onto stack {stack['label']}."
            ),
            "data": self._changes(),
        }

    def gate_out(self, appointment_id: str) -> Result:
        """Hand an import over to the truck of today's appointment; it must stand on top and be free of holds.

        Args:
            appointment_id (str): Id of the appointment, such as APPOINTMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appointment = self.appointments.get(appointment_id)
        if appointment is None:
            return _refused(f"There is no appointment {appointment_id!r}.")
        box = self.containers[appointment["container_id"]]
        if appointment["status"] != "booked":
            return _refused(f"The appointment for {box['number']} is {appointment['status']}.")
        if box["direction"] != "import" or box["stack_id"] is None:
            return _refused(f"{box['number']} is not an import in the yard.")
        if appointment["at"][:10] != self.now[:10]:
            return _refused(f"The truck is booked for {appointment['at']}.")
        if self._held(box):
            return _refused(f"{box['number']} is under a hold; have it released first.")
        if box["tier"] != self._stack_height(self.stacks[box["stack_id"]]):
            return _refused(
                f"{self._stack_height(self.stacks[box['stack_id']]) - box['tier']} containers stand on "
                f"{box['number']}; restack them first."
            )
        self._journal = []
        former_stack_id = box["stack_id"]
        self._put("containers", box, "stack_id", None)
        self._put("containers", box, "tier", 0)
        if box["status"] not in ("yard", "gone"):
            return self._take_back(f"Container {box['number']} cannot go from {box['status']} to gone.")
        self._put("containers", box, "status", "gone")
        self._put("appointments", appointment, "status", "done")
        if self._breaks_rule_1(box):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_c(box):
            return self._take_back(RULES[1])
        for one_container in _distinct(
            [
                box,
                *[
                    user
                    for one in [self.stacks.get(box["stack_id"])]
                    if one is not None
                    for user in self._containers_by_stack.get(box["stack_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.stacks.get(former_stack_id)]
                    if one is not None
                    for user in self._containers_by_stack.get(former_stack_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_container):
                return self._take_back(RULES[1])
        for one_stack in _distinct([self.stacks.get(box["stack_id"]), self.stacks.get(former_stack_id)]):
            if self._breaks_rule_3(one_stack):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(box):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_a(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(box):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(box):
            return self._take_back(RULES[9])
        for one_hold in _distinct(self._holds_by_container_status.get((box["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_hold):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_a(appointment):
            return self._take_back(RULES[11])
        if any(self._breaks_rule_12_a_again(one_appointment) for one_appointment in self.appointments.values()):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: hand {self.containers[appointment['container_id']]['number']} over to "
                f"{appointment['haulier']}."
            ),
            "data": self._changes(),
        }

    def restack(self, container_id: str, stack_id: str) -> Result:
        """Move the top container of a stack onto another stack.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            stack_id (str): Id of the stack, such as STACK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        stack = self.stacks.get(stack_id)
        if stack is None:
            return _refused(f"There is no stack {stack_id!r}.")
        if container["stack_id"] is None:
            return _refused(f"{container['number']} is {container['status']}, not in the yard.")
        if container["stack_id"] == stack_id:
            return _refused(f"{container['number']} stands in {stack['label']} already.")
        if container["tier"] != self._stack_height(self.stacks[container["stack_id"]]):
            return _refused(
                f"{self._stack_height(self.stacks[container['stack_id']]) - container['tier']} containers stand "
                f"on {container['number']}; restack them first."
            )
        if self.blocks[stack["block_id"]]["cargo"] != container["cargo"]:
            return _refused(
                f"Block {self.blocks[stack['block_id']]['name']} is for {self.blocks[stack['block_id']]['cargo']} "
                f"cargo and {container['number']} is {container['cargo']}."
            )
        if self._stack_height(stack) >= self.blocks[stack["block_id"]]["tiers"]:
            return _refused(f"Stack {stack['label']} is full with {self._stack_height(stack)}.")
        if self._stack_top(stack) is not None and self._stack_top(stack)["size"] != container["size"]:
            return _refused(f"Stack {stack['label']} holds containers of another size.")
        self._journal = []
        place = self._stack_height(stack) + 1
        former_stack_id = container["stack_id"]
        self._put("containers", container, "stack_id", stack_id)
        if not 0 <= place <= 6:
            return self._take_back(f"The tier of {container['number']} must be between 0 and 6.")
        self._put("containers", container, "tier", place)
        if self._breaks_rule_1(container):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_c(container):
            return self._take_back(RULES[1])
        for one_container in _distinct(
            [
                container,
                *[
                    user
                    for one in [self.stacks.get(container["stack_id"])]
                    if one is not None
                    for user in self._containers_by_stack.get(container["stack_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.stacks.get(former_stack_id)]
                    if one is not None
                    for user in self._containers_by_stack.get(former_stack_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_container):
                return self._take_back(RULES[1])
        for one_stack in _distinct([self.stacks.get(container["stack_id"]), self.stacks.get(former_stack_id)]):
            if self._breaks_rule_3(one_stack):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(container):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(container):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_a(container):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(container):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c(container):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: restack {container['number']} onto {stack['label']}.",
            "data": self._changes(),
        }

    def discharge(self, container_id: str, stack_id: str) -> Result:
        """Lift the top import out of a bay of a vessel alongside and set it on top of a stack.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            stack_id (str): Id of the stack, such as STACK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        stack = self.stacks.get(stack_id)
        if stack is None:
            return _refused(f"There is no stack {stack_id!r}.")
        if container["direction"] != "import" or container["bay_id"] is None:
            return _refused(f"{container['number']} is not an import aboard.")
        if self.vessels[container["vessel_id"]]["status"] != "alongside":
            return _refused(
                f"{self.vessels[container['vessel_id']]['name']} is {self.vessels[container['vessel_id']]['status']}."
            )
        if self._bay_top(self.bays[container["bay_id"]]) is not container:
            return _refused(
                f"There are containers on {container['number']} in bay {self.bays[container['bay_id']]['label']}; "
                "discharge them first."
            )
        if self.blocks[stack["block_id"]]["cargo"] != container["cargo"]:
            return _refused(
                f"Block {self.blocks[stack['block_id']]['name']} is for {self.blocks[stack['block_id']]['cargo']} "
                f"cargo and {container['number']} is {container['cargo']}."
            )
        if self._stack_height(stack) >= self.blocks[stack["block_id"]]["tiers"]:
            return _refused(f"Stack {stack['label']} is full with {self._stack_height(stack)}.")
        if self._stack_top(stack) is not None and self._stack_top(stack)["size"] != container["size"]:
            return _refused(f"Stack {stack['label']} holds containers of another size.")
        self._journal = []
        place = self._stack_height(stack) + 1
        former_bay_id = container["bay_id"]
        self._put("containers", container, "bay_id", None)
        former_stack_id = container["stack_id"]
        self._put("containers", container, "stack_id", stack_id)
        if not 0 <= place <= 6:
            return self._take_back(f"The tier of {container['number']} must be between 0 and 6.")
        self._put("containers", container, "tier", place)
        if container["status"] not in ("expected", "yard", "aboard"):
            return self._take_back(f"Container {container['number']} cannot go from {container['status']} to yard.")
        self._put("containers", container, "status", "yard")
        if self._breaks_rule_1(container):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_c(container):
            return self._take_back(RULES[1])
        for one_container in _distinct(
            [
                container,
                *[
                    user
                    for one in [self.stacks.get(container["stack_id"])]
                    if one is not None
                    for user in self._containers_by_stack.get(container["stack_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.stacks.get(former_stack_id)]
                    if one is not None
                    for user in self._containers_by_stack.get(former_stack_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_container):
                return self._take_back(RULES[1])
        for one_stack in _distinct([self.stacks.get(container["stack_id"]), self.stacks.get(former_stack_id)]):
            if self._breaks_rule_3(one_stack):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(container):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(container):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(container):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_a(container):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(container):
            return self._take_back(RULES[6])
        for one_container in _distinct(
            [
                container,
                *[
                    user
                    for one in [self.bays.get(container["bay_id"])]
                    if one is not None
                    for user in self._containers_by_bay.get(container["bay_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.bays.get(former_bay_id)]
                    if one is not None
                    for user in self._containers_by_bay.get(former_bay_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7_c(one_container):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(container):
            return self._take_back(RULES[7])
        for one_bay in _distinct([self.bays.get(container["bay_id"]), self.bays.get(former_bay_id)]):
            if self._breaks_rule_9(one_bay):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(container):
            return self._take_back(RULES[9])
        for one_hold in _distinct(self._holds_by_container_status.get((container["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_hold):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: discharge {container['number']} onto stack {stack['label']}.",
            "data": self._changes(),
        }

    def load_container(self, container_id: str, bay_id: str) -> Result:
        """Load an export from the top of its stack into a bay of its vessel.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            bay_id (str): Id of the bay, such as BAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        bay = self.bays.get(bay_id)
        if bay is None:
            return _refused(f"There is no bay {bay_id!r}.")
        if container["direction"] != "export" or container["stack_id"] is None:
            return _refused(f"{container['number']} is not an export in the yard.")
        if bay["vessel_id"] != container["vessel_id"]:
            return _refused(
                f"{container['number']} travels with {self.vessels[container['vessel_id']]['name']}, not with "
                f"{self.vessels[bay['vessel_id']]['name']}."
            )
        if self.vessels[bay["vessel_id"]]["status"] != "alongside":
            return _refused(
                f"{self.vessels[bay['vessel_id']]['name']} is {self.vessels[bay['vessel_id']]['status']}."
            )
        if self._held(container):
            return _refused(f"{container['number']} is under a hold; have it released or roll it to a later vessel.")
        if container["tier"] != self._stack_height(self.stacks[container["stack_id"]]):
            return _refused(
                f"{self._stack_height(self.stacks[container['stack_id']]) - container['tier']} containers stand "
                f"on {container['number']}; restack them first."
            )
        if any(o["direction"] == "import" for o in self._bay_aboard(bay)):
            return _refused(f"Bay {bay['label']} still holds imports to be discharged.")
        if len(self._bay_aboard(bay)) >= bay["tiers"]:
            return _refused(f"Bay {bay['label']} has no tier left.")
        if self._bay_load(bay) + container["weight"] > bay["limit"]:
            return _refused(
                f"Bay {bay['label']} can take {bay['limit'] - self._bay_load(bay)} tonnes more, not "
                f"{container['weight']}."
            )
        if self._bay_top(bay) is not None and self._bay_top(bay)["size"] != container["size"]:
            return _refused(f"Bay {bay['label']} holds containers of another size.")
        if self._bay_top(bay) is not None and self._bay_top(bay)["weight"] < container["weight"]:
            return _refused(
                f"The top of bay {bay['label']} is lighter than {container['number']} with {container['weight']} "
                "tonnes."
            )
        self._journal = []
        place = len(self._bay_aboard(bay)) + 1
        former_stack_id = container["stack_id"]
        self._put("containers", container, "stack_id", None)
        former_bay_id = container["bay_id"]
        self._put("containers", container, "bay_id", bay_id)
        if not 0 <= place <= 6:
            return self._take_back(f"The tier of {container['number']} must be between 0 and 6.")
        self._put("containers", container, "tier", place)
        if container["status"] not in ("yard", "aboard"):
            return self._take_back(f"Container {container['number']} cannot go from {container['status']} to aboard.")
        self._put("containers", container, "status", "aboard")
        if self._breaks_rule_1(container):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_c(container):
            return self._take_back(RULES[1])
        for one_container in _distinct(
            [
                container,
                *[
                    user
                    for one in [self.stacks.get(container["stack_id"])]
                    if one is not None
                    for user in self._containers_by_stack.get(container["stack_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.stacks.get(former_stack_id)]
                    if one is not None
                    for user in self._containers_by_stack.get(former_stack_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_c_again(one_container):
                return self._take_back(RULES[1])
        for one_stack in _distinct([self.stacks.get(container["stack_id"]), self.stacks.get(former_stack_id)]):
            if self._breaks_rule_3(one_stack):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(container):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(container):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(container):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_a(container):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(container):
            return self._take_back(RULES[6])
        for one_container in _distinct(
            [
                container,
                *[
                    user
                    for one in [self.bays.get(container["bay_id"])]
                    if one is not None
                    for user in self._containers_by_bay.get(container["bay_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.bays.get(former_bay_id)]
                    if one is not None
                    for user in self._containers_by_bay.get(former_bay_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7_c(one_container):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(container):
            return self._take_back(RULES[7])
        for one_bay in _distinct([self.bays.get(container["bay_id"]), self.bays.get(former_bay_id)]):
            if self._breaks_rule_9(one_bay):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(container):
            return self._take_back(RULES[9])
        for one_hold in _distinct(self._holds_by_container_status.get((container["id"], "open"), {}).values()):
            if self._breaks_rule_11(one_hold):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: load {container['number']} into bay {bay['label']}.",
            "data": self._changes(),
        }

    def place_hold(self, container_id: str, kind: Literal["customs", "line", "damage"], note: Text) -> Result:
        """Put a hold on a container, so that it cannot leave.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            kind (str): Who or what holds the container, line meaning its shipping line: customs, line or damage.
            note (str): Why the container is held.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        if container["status"] == "gone":
            return _refused(f"{container['number']} has left the terminal.")
        if container["direction"] != "import" and container["status"] == "aboard":
            return _refused(
                f"{container['number']} is aboard {self.vessels[container['vessel_id']]['name']} already."
            )
        if self._holds_by_container_kind_status.get((container_id, kind, "open"), {}):
            return _refused(f"{container['number']} is under a {kind} hold already.")
        self._journal = []
        hold: Hold = {
            "id": self._new_id("hold", "HOLD", self.holds),
            "container_id": container_id,
            "kind": kind,
            "note": note,
            "placed_at": self.now,
            "status": "open",
        }
        self._add("holds", hold)
        if self._breaks_rule_11(hold):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: put a {kind} hold on {container['number']} (new: hold {hold['id']}).",
            "data": {"hold_id": hold["id"], **self._changes()},
        }

    def release_hold(self, hold_id: str) -> Result:
        """Release a hold.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        if hold["status"] != "open":
            return _refused(
                f"The {hold['kind']} hold on {self.containers[hold['container_id']]['number']} was released already."
            )
        self._journal = []
        self._put("holds", hold, "status", "released")
        if self._breaks_rule_11(hold):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: release the {hold['kind']} hold on {self.containers[hold['container_id']]['number']}.",
            "data": self._changes(),
        }

    def roll_container(self, container_id: str, vessel_id: str) -> Result:
        """Roll an export that is not aboard yet to another vessel.

        Args:
            container_id (str): Id of the container, such as CONTAINER-00001.
            vessel_id (str): Id of the vessel, such as VESSEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        container = self.containers.get(container_id)
        if container is None:
            return _refused(f"There is no container {container_id!r}.")
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if container["direction"] != "export" or container["status"] not in ("expected", "yard"):
            return _refused(f"{container['number']} is not an export waiting ashore.")
        if vessel_id == container["vessel_id"]:
            return _refused(f"{container['number']} travels with {vessel['name']} already.")
        if vessel["status"] == "sailed":
            return _refused(f"{vessel['name']} has sailed.")
        self._journal = []
        self._put("containers", container, "vessel_id", vessel_id)
        if self._breaks_rule_6(container):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: roll {container['number']} to {vessel['name']}.",
            "data": self._changes(),
        }

    def sail_vessel(self, vessel_id: str, next_vessel_id: str | None = None) -> Result:
        """Let a vessel sail once her imports are off and no export waits for her; the next one that is due may take
        the berth.

        Args:
            vessel_id (str): Id of the vessel, such as VESSEL-00001.
            next_vessel_id (str, optional): Expected vessel, due by today, that takes the berth; an id such as
                VESSEL-00001. If left out, the berth stays free.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        next_vessel = self.vessels.get(next_vessel_id) if next_vessel_id is not None else None
        if next_vessel_id is not None and next_vessel is None:
            return _refused(f"There is no vessel {next_vessel_id!r}.")
        if vessel["status"] != "alongside":
            return _refused(f"{vessel['name']} is {vessel['status']}.")
        inside = next(
            (
                c
                for c in sorted(
                    self._containers_by_direction_vessel_status.get(("import", vessel_id, "aboard"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if inside is not None:
            return _refused(f"{inside['number']} still has to be discharged from {vessel['name']}.")
        behind = next(
            (
                c
                for c in sorted(
                    self._containers_by_direction_vessel.get(("export", vessel_id), {}).values(),
                    key=_age,
                )
                if c["status"] in ("expected", "yard")
            ),
            None,
        )
        if behind is not None:
            return _refused(f"Export {behind['number']} is still ashore; load it or roll it to another vessel.")
        if next_vessel_id is not None and next_vessel["status"] != "expected":
            return _refused("The next vessel must be one that is expected.")
        if next_vessel_id is not None and next_vessel["due"] > self.now[:10]:
            return _refused("The next vessel is not due yet.")
        self._journal = []
        changed_vessels: list[Any] = []
        changed_vessels_2: list[Any] = []
        free = vessel["berth"]
        self._put("vessels", vessel, "berth", None)
        self._put("vessels", vessel, "status", "sailed")
        if next_vessel_id is not None:
            changed_vessels.append(next_vessel)
            self._put("vessels", next_vessel, "berth", free)
            if next_vessel["status"] not in ("expected", "alongside"):
                return self._take_back(
                    f"Vessel {next_vessel['name']} cannot go from {next_vessel['status']} to alongside."
                )
            changed_vessels_2.append(next_vessel)
            self._put("vessels", next_vessel, "status", "alongside")
        for one_vessel in _distinct([vessel, *changed_vessels, *changed_vessels_2]):
            if self._breaks_rule_13_v(one_vessel):
                return self._take_back(RULES[12])
        for one_vessel in _distinct([vessel, *changed_vessels, *changed_vessels_2]):
            if self._breaks_rule_13_v_again(one_vessel):
                return self._take_back(RULES[12])
        done = f"let {vessel['name']} sail"
        if next_vessel is not None:
            done += f" and bring {next_vessel['name']} alongside"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def berth_vessel(
        self,
        vessel_id: str,
        berth: Literal["north_quay", "south_quay", "river_quay", "basin_quay", "west_quay", "east_quay"],
    ) -> Result:
        """Bring an expected vessel that is due alongside at a free berth.

        Args:
            vessel_id (str): Id of the vessel, such as VESSEL-00001.
            berth (str): Free berth at which the vessel is to lie: north_quay, south_quay, river_quay, basin_quay,
                west_quay or east_quay.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if vessel["status"] != "expected":
            return _refused(f"{vessel['name']} is {vessel['status']}.")
        if vessel["due"] > self.now[:10]:
            return _refused(f"{vessel['name']} is due on {vessel['due']}.")
        other = next(
            (v for v in sorted(self._vessels_by_berth_status.get((berth, "alongside"), {}).values(), key=_age)),
            None,
        )
        if other is not None:
            return _refused(f"{other['name']} lies at that berth.")
        self._journal = []
        self._put("vessels", vessel, "berth", berth)
        self._put("vessels", vessel, "status", "alongside")
        if self._breaks_rule_13_v(vessel):
            return self._take_back(RULES[12])
        if self._breaks_rule_13_v_again(vessel):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: bring {vessel['name']} alongside at {berth}.",
            "data": self._changes(),
        }

    def _show_block(self, block: Block) -> dict[str, Any]:
        """The block as an answer shows it."""
        return {**block, "boxes": self._block_boxes(block)}

    def _show_stack(self, stack: Stack) -> dict[str, Any]:
        """The stack as an answer shows it."""
        return {**stack, "height": self._stack_height(stack), "top_id": _id_of(self._stack_top(stack))}

    def _show_bay(self, bay: Bay) -> dict[str, Any]:
        """The bay as an answer shows it."""
        return {
            **bay,
            "aboard": [record["id"] for record in self._bay_aboard(bay)],
            "load": self._bay_load(bay),
            "top_id": _id_of(self._bay_top(bay)),
        }

    def _names_of_stacks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stacks point to."""
        return _names(
            (self.blocks, "name", [row["block_id"] for row in shown]),
            (self.containers, "number", [row["top_id"] for row in shown]),
        )

    def _names_of_bays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bays point to."""
        return _names(
            (self.vessels, "name", [row["vessel_id"] for row in shown]),
            (self.containers, "number", [each for row in shown for each in row["aboard"]]),
            (self.containers, "number", [row["top_id"] for row in shown]),
        )

    def _names_of_containers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that containers point to."""
        return _names(
            (self.vessels, "name", [row["vessel_id"] for row in shown]),
            (self.stacks, "label", [row["stack_id"] for row in shown]),
            (self.bays, "label", [row["bay_id"] for row in shown]),
        )

    def _names_of_holds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holds point to."""
        return _names((self.containers, "number", [row["container_id"] for row in shown]))

    def _names_of_appointments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that appointments point to."""
        return _names((self.containers, "number", [row["container_id"] for row in shown]))

    def _block_boxes(self, block: Block) -> int:
        """The boxes of a block."""
        return sum(
            1
            for s in self._stacks_by_block.get(block["id"], {}).values()
            for c in self._containers_by_stack.get(s["id"], {}).values()
        )

    def _stack_height(self, stack: Stack) -> int:
        """The height of a stack."""
        return len(self._containers_by_stack.get(stack["id"], {}))

    def _stack_top(self, stack: Stack) -> Container | None:
        """The top of a stack."""
        return min(
            self._containers_by_stack.get(stack["id"], {}).values(),
            key=lambda c: (-c["tier"], _age(c)),
            default=None,
        )

    def _bay_aboard(self, bay: Bay) -> list[Container]:
        """The aboard of a bay."""
        return sorted(self._containers_by_bay.get(bay["id"], {}).values(), key=_age)

    def _bay_load(self, bay: Bay) -> int:
        """The load of a bay."""
        return sum(c["weight"] for c in self._bay_aboard(bay))

    def _bay_top(self, bay: Bay) -> Container | None:
        """The top of a bay."""
        return min(self._bay_aboard(bay), key=lambda c: (-c["tier"], _age(c)), default=None)

    def _held(self, c: Container) -> bool:
        return any(h["status"] == "open" for h in self._holds_by_container.get(c["id"], {}).values())

    def _booking(self, c: Container) -> Appointment | None:
        return next(
            (
                a
                for a in sorted(
                    self._appointments_by_container_status.get((c["id"], "booked"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _fits(self, c: Container, s: Stack) -> bool:
        return (
            c["cargo"] == self.blocks[s["block_id"]]["cargo"]
            and self._stack_height(s) < self.blocks[s["block_id"]]["tiers"]
            and (self._stack_top(s) is None or self._stack_top(s)["size"] == c["size"])
        )

    def _on_top(self, c: Container) -> bool:
        return c["stack_id"] is not None and self._stack_top(self.stacks[c["stack_id"]]) is c

    def _fits_aboard(self, c: Container, b: Bay) -> bool:
        return (
            b["vessel_id"] == c["vessel_id"]
            and len(self._bay_aboard(b)) < b["tiers"]
            and self._bay_load(b) + c["weight"] <= b["limit"]
            and not any(o["direction"] == "import" for o in self._bay_aboard(b))
            and (
                self._bay_top(b) is None
                or self._bay_top(b)["weight"] >= c["weight"]
                and self._bay_top(b)["size"] == c["size"]
            )
        )

    def _breaks_rule_1(self, c: Container) -> bool:
        """Whether this is broken: a container in the yard stands in a stack, one aboard lies in a bay, and any other
        is in neither.
        """
        return (
            (c["stack_id"] is not None) != (c["status"] == "yard")
            or (c["bay_id"] is not None) != (c["status"] == "aboard")
        )

    def _breaks_rule_2_c(self, c: Container) -> bool:
        """Whether this is broken: a stack has no gaps and no place holds two containers."""
        return (
            c["status"] == "yard"
            and any(
                other_c is not c
                for other_c in self._containers_by_stack_status.get((c["stack_id"], "yard"), {}).values()
                if other_c["tier"] == c["tier"]
            )
        )

    def _breaks_rule_2_c_again(self, c: Container) -> bool:
        """Whether this is broken: a stack has no gaps and no place holds two containers."""
        return not (
            c["stack_id"] is None
            or 1 <= c["tier"]
            and c["tier"] <= self._stack_height(self.stacks[c["stack_id"]])
        )

    def _breaks_rule_3(self, s: Stack) -> bool:
        """Whether this is broken: a stack is never higher than its block allows."""
        return self._stack_height(s) > self.blocks[s["block_id"]]["tiers"]

    def _breaks_rule_4(self, a: Container) -> bool:
        """Whether this is broken: containers of different sizes are never stacked on each other."""
        return (
            a["status"] == "yard"
            and any(
                a["size"] != b["size"]
                for b in self._containers_by_stack_status.get((a["stack_id"], "yard"), {}).values()
            )
        )

    def _breaks_rule_5(self, c: Container) -> bool:
        """Whether this is broken: a container stands in a block for its kind of cargo."""
        return (
            c["stack_id"] is not None
            and self.blocks[self.stacks[c["stack_id"]]["block_id"]]["cargo"] != c["cargo"]
        )

    def _breaks_rule_6(self, c: Container) -> bool:
        """Whether this is broken: a container lies only on the vessel it travels with."""
        return c["bay_id"] is not None and self.bays[c["bay_id"]]["vessel_id"] != c["vessel_id"]

    def _breaks_rule_7_a(self, a: Container) -> bool:
        """Whether this is broken: in a bay no container lies on a lighter one, and nothing lies between the tiers.
        """
        return (
            a["status"] == "aboard"
            and any(
                a["weight"] < b["weight"]
                for b in self._containers_by_bay_status.get((a["bay_id"], "aboard"), {}).values()
                if a["tier"] < b["tier"]
            )
        )

    def _breaks_rule_7_b(self, b: Container) -> bool:
        """Whether this is broken: in a bay no container lies on a lighter one, and nothing lies between the tiers.
        """
        return (
            b["status"] == "aboard"
            and any(
                a["weight"] < b["weight"]
                for a in self._containers_by_bay_status.get((b["bay_id"], "aboard"), {}).values()
                if a["tier"] < b["tier"]
            )
        )

    def _breaks_rule_7_c(self, c: Container) -> bool:
        """Whether this is broken: in a bay no container lies on a lighter one, and nothing lies between the tiers.
        """
        return not (
            c["bay_id"] is None
            or 1 <= c["tier"]
            and c["tier"] <= len(self._bay_aboard(self.bays[c["bay_id"]]))
        )

    def _breaks_rule_8(self, a: Container) -> bool:
        """Whether this is broken: a bay holds containers of one size."""
        return (
            a["status"] == "aboard"
            and any(
                a["size"] != b["size"]
                for b in self._containers_by_bay_status.get((a["bay_id"], "aboard"), {}).values()
            )
        )

    def _breaks_rule_9(self, b: Bay) -> bool:
        """Whether this is broken: a bay carries no more than its limit and has no more tiers than it is built for.
        """
        return self._bay_load(b) > b["limit"] or len(self._bay_aboard(b)) > b["tiers"]

    def _breaks_rule_10(self, a: Container) -> bool:
        """Whether this is broken: nothing is loaded into a bay from which imports still have to be discharged."""
        return (
            a["status"] == "aboard"
            and any(
                a["direction"] != b["direction"]
                for b in self._containers_by_bay_status.get((a["bay_id"], "aboard"), {}).values()
            )
        )

    def _breaks_rule_11(self, h: Hold) -> bool:
        """Whether this is broken: a container under an open hold neither leaves through the gate nor goes aboard."""
        return (
            h["status"] == "open"
            and (
                self.containers[h["container_id"]]["status"] == "gone"
                or self.containers[h["container_id"]]["status"] == "aboard"
                and self.containers[h["container_id"]]["direction"] == "export"
            )
        )

    def _breaks_rule_12_a(self, a: Appointment) -> bool:
        """Whether this is broken: a container has one booked appointment at most, and the gate handles three trucks
        in a slot.
        """
        return (
            a["status"] == "booked"
            and any(
                other_a is not a
                for other_a in self._appointments_by_container_status.get((a["container_id"], "booked"), {}).values()
            )
        )

    def _breaks_rule_12_a_again(self, a: Appointment) -> bool:
        """Whether this is broken: a container has one booked appointment at most, and the gate handles three trucks
        in a slot.
        """
        return a["status"] == "booked" and len(self._appointments_by_at_status.get((a["at"], "booked"), {})) > 3

    def _breaks_rule_13_v(self, v: Vessel) -> bool:
        """Whether this is broken: a berth takes one vessel, and a vessel has one only while it lies alongside."""
        return (
            v["status"] == "alongside"
            and any(
                other_v is not v
                for other_v in self._vessels_by_berth_status.get((v["berth"], "alongside"), {}).values()
            )
        )

    def _breaks_rule_13_v_again(self, v: Vessel) -> bool:
        """Whether this is broken: a berth takes one vessel, and a vessel has one only while it lies alongside."""
        return (v["berth"] is not None) != (v["status"] == "alongside")

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
            case "stacks":
                self._stacks_by_block.setdefault(record["block_id"], {})[record["id"]] = record
            case "vessels":
                self._vessels_by_berth_status.setdefault((record["berth"], record["status"]), {})[record["id"]] = record
            case "bays":
                self._bays_by_vessel.setdefault(record["vessel_id"], {})[record["id"]] = record
            case "containers":
                self._containers_by_bay.setdefault(record["bay_id"], {})[record["id"]] = record
                self._containers_by_bay_status.setdefault((record["bay_id"], record["status"]), {})[record["id"]] = record
                self._containers_by_direction_vessel.setdefault(
                    (record["direction"], record["vessel_id"]),
                    {},
                )[record["id"]] = record
                self._containers_by_direction_vessel_status.setdefault(
                    (record["direction"], record["vessel_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._containers_by_stack.setdefault(record["stack_id"], {})[record["id"]] = record
                self._containers_by_stack_status.setdefault(
                    (record["stack_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._containers_by_vessel.setdefault(record["vessel_id"], {})[record["id"]] = record
            case "holds":
                self._holds_by_container.setdefault(record["container_id"], {})[record["id"]] = record
                self._holds_by_container_kind_status.setdefault(
                    (record["container_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._holds_by_container_status.setdefault(
                    (record["container_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "appointments":
                self._appointments_by_at_status.setdefault((record["at"], record["status"]), {})[record["id"]] = record
                self._appointments_by_container_status.setdefault(
                    (record["container_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "stacks":
                del self._stacks_by_block[record["block_id"]][record["id"]]
            case "vessels":
                del self._vessels_by_berth_status[record["berth"], record["status"]][record["id"]]
            case "bays":
                del self._bays_by_vessel[record["vessel_id"]][record["id"]]
            case "containers":
                del self._containers_by_bay[record["bay_id"]][record["id"]]
                del self._containers_by_bay_status[record["bay_id"], record["status"]][record["id"]]
                del self._containers_by_direction_vessel[record["direction"], record["vessel_id"]][record["id"]]
                del self._containers_by_direction_vessel_status[
                    record["direction"],
                    record["vessel_id"],
                    record["status"],
                ][record["id"]]
                del self._containers_by_stack[record["stack_id"]][record["id"]]
                del self._containers_by_stack_status[record["stack_id"], record["status"]][record["id"]]
                del self._containers_by_vessel[record["vessel_id"]][record["id"]]
            case "holds":
                del self._holds_by_container[record["container_id"]][record["id"]]
                del self._holds_by_container_kind_status[
                    record["container_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._holds_by_container_status[record["container_id"], record["status"]][record["id"]]
            case "appointments":
                del self._appointments_by_at_status[record["at"], record["status"]][record["id"]]
                del self._appointments_by_container_status[record["container_id"], record["status"]][record["id"]]
