"""Coworking space. Compiled from blueprint.yaml; run `envscaler build coworking_space` after changing it there.

Lets desks and offices to tenants under plans with included desk days, room credits and guests, from signing to
notice and moving out.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A room is used by one party at a time.",
    "Rooms are booked for at least an hour and for no more people than they seat.",
    "A space is let to one contract at a time.",
    "A space has as many seats as its contract.",
    "Offices and own desks come with a space of their sort, flexible plans with none.",
    "A tenant has one live contract.",
    "A contract under notice has a last day, and a running one has none.",
    "A desk is used by one contract a day, and nobody but its tenant uses a desk that is let.",
    "No contract uses more desks on a day than it has seats.",
    "A contract has no more guests on a day than its plan allows for its seats.",
    "Nothing is booked after the last day of a contract.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sign_contract",
    "give_notice",
    "withdraw_notice",
    "change_contract",
    "end_contract",
    "book_room",
    "cancel_room",
    "book_desk",
    "give_desk_back",
    "register_guest",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "plans": ("name",),
    "spaces": ("code",),
    "tenants": ("name",),
    "contracts": (),
    "rooms": ("name",),
    "room_uses": (),
    "desk_days": (),
    "visits": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("contracts", "space_id"),
    ("contracts", "tenant_id"),
    ("desk_days", "contract_id"),
    ("desk_days", "desk_id"),
    ("room_uses", "contract_id"),
    ("room_uses", "room_id"),
    ("room_uses", "status"),
    ("visits", "contract_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Plan(TypedDict):
    id: str
    name: str
    sort: Literal["flexible", "own_desk", "office"]
    monthly: int
    desk_days: int
    room_credits: int
    guests: int
    notice_months: int
    credit_costs: int
    desk_costs: int


class Space(TypedDict):
    id: str
    code: str
    sort: Literal["desk", "office"]
    seats: int
    window: bool


class Tenant(TypedDict):
    id: str
    name: str
    contact: str


class Contract(TypedDict):
    id: str
    tenant_id: str
    plan_id: str
    seats: int
    space_id: str | None
    starts: str
    there_since: str
    ends: str | None
    deposit: int
    status: Literal["running", "noticed", "ended"]


class Room(TypedDict):
    id: str
    name: str
    seats: int
    credits_an_hour: int


class RoomUse(TypedDict):
    id: str
    contract_id: str
    room_id: str
    held_on: str
    from_hour: int
    to_hour: int
    people: int
    charge: int
    status: Literal["booked", "cancelled"]


class DeskDay(TypedDict):
    id: str
    contract_id: str
    desk_id: str
    used_on: str
    charge: int


class Visit(TypedDict):
    id: str
    contract_id: str
    guest: str
    comes_on: str


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class CoworkingSpace:
    """Lets desks and offices to tenants under plans with included desk days, room credits and guests, from
    signing to notice and moving out.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.spaces: dict[str, Space] = _copied(config.get("spaces", {}))
        self.tenants: dict[str, Tenant] = _copied(config.get("tenants", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.room_uses: dict[str, RoomUse] = _copied(config.get("room_uses", {}))
        self.desk_days: dict[str, DeskDay] = _copied(config.get("desk_days", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.now: str = config.get("now", "2026-05-20T08:45")
        self.counters: dict[str, int] = {
            "plan": len(self.plans),
            "space": len(self.spaces),
            "tenant": len(self.tenants),
            "contract": len(self.contracts),
            "room": len(self.rooms),
            "room_use": len(self.room_uses),
            "desk_day": len(self.desk_days),
            "visit": len(self.visits),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contracts_by_space: dict[Any, dict[str, Contract]] = {}
        self._contracts_by_tenant: dict[Any, dict[str, Contract]] = {}
        self._room_uses_by_contract_status: dict[Any, dict[str, RoomUse]] = {}
        self._room_uses_by_room_status: dict[Any, dict[str, RoomUse]] = {}
        self._desk_days_by_contract: dict[Any, dict[str, DeskDay]] = {}
        self._desk_days_by_desk: dict[Any, dict[str, DeskDay]] = {}
        self._visits_by_contract: dict[Any, dict[str, Visit]] = {}
        for contract in self.contracts.values():
            self._link("contracts", contract)
        for room_use in self.room_uses.values():
            self._link("room_uses", room_use)
        for desk_day in self.desk_days.values():
            self._link("desk_days", desk_day)
        for visit in self.visits.values():
            self._link("visits", visit)

    def free_rooms(
        self,
        held_on: Date,
        from_hour: Annotated[int, {"minimum": 7, "maximum": 21}],
        to_hour: Annotated[int, {"minimum": 8, "maximum": 22}],
        people: Annotated[int, {"minimum": 1, "maximum": 30}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Rooms that are free for some hours and seat enough people, those with the fewest credits first.

        Args:
            held_on (str): Day of the meeting, as YYYY-MM-DD.
            from_hour (int): Full hour of the day at which the meeting would begin, from 7 to 21.
            to_hour (int): Full hour of the day at which the meeting would end, after the beginning, from 8 to 22.
            people (int): How many people would meet, from 1 to 30.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}} or {"success": False, "error": why
                not}
        """
        if from_hour >= to_hour:
            return _refused(f"The last hour must come after {from_hour}.")
        found = [
            r
            for r in self.rooms.values()
            if (r["seats"] >= people and self._clash(r, held_on, from_hour, to_hour) is None)
        ]
        found.sort(key=lambda r: (r["credits_an_hour"], r["seats"], r["name"], _age(r)))
        return _found({"total": len(found), "rooms": [{**r} for r in _page(found, offset)]})

    def spaces_to_let(
        self,
        since: Date,
        sort: Literal["desk", "office"] | None = None,
        seats: Annotated[int, {"minimum": 1, "maximum": 20}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Spaces that nobody has under contract from a day on, the smallest first.

        Args:
            since (str): First day from which the space must be free, as YYYY-MM-DD.
            sort (str, optional): Sort of the spaces listed: desk or office. If left out, both sorts are listed.
            seats (int, optional): Least number of seats in the spaces listed, from 1 to 20. If left out, spaces of
                all sizes are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spaces": records}} or {"success": False, "error": why
                not}
        """
        found = [
            s
            for s in self.spaces.values()
            if self._let_from(s, since) is None
            and (sort is None or s["sort"] == sort)
            and (seats is None or s["seats"] >= seats)
        ]
        found.sort(key=lambda s: (s["seats"], s["code"], _age(s)))
        return _found({"total": len(found), "spaces": [{**s} for s in _page(found, offset)]})

    def free_desks(self, used_on: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Desks that can be booked for a day, by code.

        Args:
            used_on (str): Day on which a desk is wanted, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spaces": records}} or {"success": False, "error": why
                not}
        """
        found = [s for s in self.spaces.values() if self._desk_free(s, used_on)]
        found.sort(key=lambda s: (s["code"], _age(s)))
        return _found({"total": len(found), "spaces": [{**s} for s in _page(found, offset)]})

    def allowance(self, contract_id: str, month: Date) -> Result:
        """What a contract has used of a month, and what it is billed for it, that is the rent of a full month and
        what goes beyond the allowance.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            month (str): Any day of the month that is looked at, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {credits, credits_left, desk_days, desk_days_used, guests_a_day, rent,
                extras}} or {"success": False, "error": why not}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        return _found(
            {
                "credits": self._included(contract),
                "credits_left": self._credits_left(contract, month),
                "desk_days": self.plans[contract["plan_id"]]["desk_days"] * contract["seats"],
                "desk_days_used": self._days_used(contract, month),
                "guests_a_day": self.plans[contract["plan_id"]]["guests"] * contract["seats"],
                "rent": self.plans[contract["plan_id"]]["monthly"] * contract["seats"],
                "extras": sum(
                    u["charge"]
                    for u in self._room_uses_by_contract_status.get((contract_id, "booked"), {}).values()
                    if u["held_on"][:8] + "01" == month[:8] + "01"
                ) + sum(
                    x["charge"]
                    for x in self._desk_days_by_contract.get(contract_id, {}).values()
                    if x["used_on"][:8] + "01" == month[:8] + "01"
                ),
            }
        )

    def list_plans(
        self,
        name: Text | None = None,
        sort: Literal["flexible", "own_desk", "office"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only plans whose name contains this text.
            sort (str, optional): Only plans with this sort.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        found = [
            plan
            for plan in self.plans.values()
            if (name is None or name.casefold() in plan["name"].casefold())
            and (sort is None or plan["sort"] == sort)
        ]
        return _found({"total": len(found), "plans": [{**plan} for plan in _page(found, offset)]})

    def list_spaces(
        self,
        code: Text | None = None,
        sort: Literal["desk", "office"] | None = None,
        window: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the spaces, oldest first, all of them or only some.

        Args:
            code (str, optional): Only spaces whose code contains this text.
            sort (str, optional): Only spaces with this sort.
            window (bool, optional): Only spaces with this value of `window`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spaces": records}}
        """
        found = [
            space
            for space in self.spaces.values()
            if (code is None or code.casefold() in space["code"].casefold())
            and (sort is None or space["sort"] == sort)
            and (window is None or space["window"] == window)
        ]
        return _found({"total": len(found), "spaces": [{**space} for space in _page(found, offset)]})

    def list_tenants(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tenants, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tenants whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tenants": records}}
        """
        found = [
            tenant
            for tenant in self.tenants.values()
            if (name is None or name.casefold() in tenant["name"].casefold())
        ]
        return _found({"total": len(found), "tenants": [{**tenant} for tenant in _page(found, offset)]})

    def list_contracts(
        self,
        tenant_id: str | None = None,
        plan_id: str | None = None,
        space_id: str | None = None,
        status: Literal["running", "noticed", "ended"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            tenant_id (str, optional): Only contracts of this tenant.
            plan_id (str, optional): Only contracts of this plan.
            space_id (str, optional): Only contracts of this space.
            status (str, optional): Only contracts with this status.
            starts_from (str, optional): Only contracts whose `starts` is on this day or later.
            starts_to (str, optional): Only contracts whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        if tenant_id is not None and tenant_id not in self.tenants:
            return _refused(f"There is no tenant {tenant_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        if space_id is not None and space_id not in self.spaces:
            return _refused(f"There is no space {space_id!r}.")
        found = [
            contract
            for contract in self.contracts.values()
            if (tenant_id is None or contract["tenant_id"] == tenant_id)
            and (plan_id is None or contract["plan_id"] == plan_id)
            and (space_id is None or contract["space_id"] == space_id)
            and (status is None or contract["status"] == status)
            and (starts_from is None or contract["starts"] >= starts_from)
            and (starts_to is None or contract["starts"] <= starts_to)
        ]
        shown = [{**contract} for contract in _page(found, offset)]
        return _found({"total": len(found), "contracts": shown}, self._names_of_contracts(shown))

    def list_rooms(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [room for room in self.rooms.values() if (name is None or name.casefold() in room["name"].casefold())]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_room_uses(
        self,
        contract_id: str | None = None,
        room_id: str | None = None,
        status: Literal["booked", "cancelled"] | None = None,
        held_on_from: Date | None = None,
        held_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the room uses, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only room uses of this contract.
            room_id (str, optional): Only room uses of this room.
            status (str, optional): Only room uses with this status.
            held_on_from (str, optional): Only room uses whose `held_on` is on this day or later.
            held_on_to (str, optional): Only room uses whose `held_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "room_uses": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            room_use
            for room_use in self.room_uses.values()
            if (contract_id is None or room_use["contract_id"] == contract_id)
            and (room_id is None or room_use["room_id"] == room_id)
            and (status is None or room_use["status"] == status)
            and (held_on_from is None or room_use["held_on"] >= held_on_from)
            and (held_on_to is None or room_use["held_on"] <= held_on_to)
        ]
        shown = [self._show_room_use(room_use) for room_use in _page(found, offset)]
        return _found({"total": len(found), "room_uses": shown}, self._names_of_room_uses(shown))

    def list_desk_days(
        self,
        contract_id: str | None = None,
        desk_id: str | None = None,
        used_on_from: Date | None = None,
        used_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the desk days, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only desk days of this contract.
            desk_id (str, optional): Only desk days whose desk is this space.
            used_on_from (str, optional): Only desk days whose `used_on` is on this day or later.
            used_on_to (str, optional): Only desk days whose `used_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "desk_days": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        if desk_id is not None and desk_id not in self.spaces:
            return _refused(f"There is no space {desk_id!r}.")
        found = [
            desk_day
            for desk_day in self.desk_days.values()
            if (contract_id is None or desk_day["contract_id"] == contract_id)
            and (desk_id is None or desk_day["desk_id"] == desk_id)
            and (used_on_from is None or desk_day["used_on"] >= used_on_from)
            and (used_on_to is None or desk_day["used_on"] <= used_on_to)
        ]
        shown = [{**desk_day} for desk_day in _page(found, offset)]
        return _found({"total": len(found), "desk_days": shown}, self._names_of_desk_days(shown))

    def list_visits(
        self,
        contract_id: str | None = None,
        comes_on_from: Date | None = None,
        comes_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only visits of this contract.
            comes_on_from (str, optional): Only visits whose `comes_on` is on this day or later.
            comes_on_to (str, optional): Only visits whose `comes_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (contract_id is None or visit["contract_id"] == contract_id)
            and (comes_on_from is None or visit["comes_on"] >= comes_on_from)
            and (comes_on_to is None or visit["comes_on"] <= comes_on_to)
        ]
        return _found({"total": len(found), "visits": [{**visit} for visit in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sign_contract(
        self,
        tenant_id: str,
        plan_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 20}],
        starts: Date,
        space_id: str | None = None,
    ) -> Result:
        """Sign a contract with a tenant; the deposit is two months' rate of the plan for each seat.

        Args:
            tenant_id (str): Id of the tenant, such as TENANT-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            seats (int): Number of seats that the tenant pays for, from 1 to 20.
            starts (str): First day of the contract, from today on and within 180 days, as YYYY-MM-DD.
            space_id (str, optional): Desk or office of the tenant's own, needed unless the plan is flexible; an id
                such as SPACE-00001. If left out, the tenant has no space of its own.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tenant = self.tenants.get(tenant_id)
        if tenant is None:
            return _refused(f"There is no tenant {tenant_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        space = self.spaces.get(space_id) if space_id is not None else None
        if space_id is not None and space is None:
            return _refused(f"There is no space {space_id!r}.")
        other = self._contract_of(tenant)
        if other is not None:
            return _refused(
                f"{tenant['name']} has a contract for {self.plans[other['plan_id']]['name']}; change that instead."
            )
        if self.now[:10] > starts or starts > _plus_days(self.now[:10], 180):
            return _refused(f"Contracts start between {self.now[:10]} and {_plus_days(self.now[:10], 180)}.")
        if plan["sort"] == "flexible" and space_id is not None:
            return _refused(f"{plan['name']} comes without a space of one's own.")
        if not (plan["sort"] == "flexible" or space_id is not None and self._suits(space, plan)):
            return _refused(f"{plan['name']} needs a space of that sort.")
        if space_id is not None and seats > space["seats"]:
            return _refused(f"{space['code']} has {space['seats']} seats, not {seats}.")
        sitting = next(
            (c for c in self.contracts.values() if space_id is not None and c is self._let_from(space, starts)),
            None,
        )
        if sitting is not None:
            return _refused(f"{self.tenants[sitting['tenant_id']]['name']} has that space at the time.")
        used = next(
            (
                x
                for x in sorted(self._desk_days_by_desk.get(space_id, {}).values(), key=_age)
                if space_id is not None
                and x["used_on"] >= starts
            ),
            None,
        )
        if used is not None:
            return _refused(f"That desk is booked on {used['used_on']}.")
        self._journal = []
        deposit = plan["monthly"] * seats * 2
        if not 0 <= deposit <= 5000000:
            return self._take_back("The deposit of a contract must be between 0.00 and 50,000.00.")
        contract: Contract = {
            "id": self._new_id("contract", "CONTRACT", self.contracts),
            "tenant_id": tenant_id,
            "plan_id": plan_id,
            "seats": seats,
            "space_id": space_id,
            "starts": starts,
            "there_since": starts,
            "ends": None,
            "deposit": deposit,
            "status": "running",
        }
        self._add("contracts", contract)
        if self._breaks_rule_3_a(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(contract):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(contract):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(contract):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(contract):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_c(contract):
            return self._take_back(RULES[7])
        done = f"sign a contract with {tenant['name']} for {plan['name']}"
        if space is not None:
            done += f" in {space['code']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: contract {contract['id']}).",
            "data": {"contract_id": contract["id"], **self._changes()},
        }

    def give_notice(self, contract_id: str) -> Result:
        """Give notice for a running contract; it ends with the last full month of the notice period.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] != "running":
            return _refused(f"The contract of {self.tenants[contract['tenant_id']]['name']} is {contract['status']}.")
        last = _plus_days(
            _add_months(
                max(self.now[:10], contract["starts"])[:8] + "01",
                self.plans[contract["plan_id"]]["notice_months"] + 1,
            ),
            -1,
        )
        late = next(
            (
                u
                for u in sorted(
                    self._room_uses_by_contract_status.get((contract_id, "booked"), {}).values(),
                    key=_age,
                )
                if u["held_on"] > last
            ),
            None,
        )
        if late is not None:
            return _refused(
                f"{self.tenants[contract['tenant_id']]['name']} has {self.rooms[late['room_id']]['name']} on "
                f"{late['held_on']}, after {last}; cancel that first."
            )
        desk_late = next(
            (
                x
                for x in sorted(self._desk_days_by_contract.get(contract_id, {}).values(), key=_age)
                if x["used_on"] > last
            ),
            None,
        )
        if desk_late is not None:
            return _refused(
                f"{self.tenants[contract['tenant_id']]['name']} has a desk on {desk_late['used_on']}, after "
                f"{last}; give that back first."
            )
        self._journal = []
        self._put("contracts", contract, "ends", last)
        self._put("contracts", contract, "status", "noticed")
        if self._breaks_rule_3_a(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(contract):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(contract):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(contract):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_c(contract):
            return self._take_back(RULES[7])
        for one_visit in _distinct(self._visits_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        for one_room_use in _distinct(
            self._room_uses_by_contract_status.get((contract["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_11_u(one_room_use):
                return self._take_back(RULES[10])
        for one_desk_day in _distinct(self._desk_days_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_11_x(one_desk_day):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give notice for {self.tenants[contract['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def withdraw_notice(self, contract_id: str) -> Result:
        """Withdraw the notice of a contract, unless somebody else has its space afterwards.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] != "noticed" or contract["ends"] is None:
            return _refused(f"The contract of {self.tenants[contract['tenant_id']]['name']} is {contract['status']}.")
        if contract["ends"] < self.now[:10]:
            return _refused(f"It ended on {contract['ends']}.")
        heir = next(
            (
                c
                for c in sorted(self._contracts_by_space.get(contract["space_id"], {}).values(), key=_age)
                if contract["space_id"] is not None
                and c is not contract
                and self._live(c)
            ),
            None,
        )
        if heir is not None:
            return _refused(
                f"{self.tenants[heir['tenant_id']]['name']} has signed for that space from {heir['starts']}."
            )
        guest_desk = next(
            (
                x
                for x in sorted(self._desk_days_by_desk.get(contract["space_id"], {}).values(), key=_age)
                if contract["space_id"] is not None
                and x["used_on"] > contract["ends"]
            ),
            None,
        )
        if guest_desk is not None:
            return _refused(f"That desk is booked on {guest_desk['used_on']}.")
        self._journal = []
        self._put("contracts", contract, "ends", None)
        self._put("contracts", contract, "status", "running")
        if self._breaks_rule_3_a(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(contract):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(contract):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(contract):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_c(contract):
            return self._take_back(RULES[7])
        for one_visit in _distinct(self._visits_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        for one_room_use in _distinct(
            self._room_uses_by_contract_status.get((contract["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_11_u(one_room_use):
                return self._take_back(RULES[10])
        for one_desk_day in _distinct(self._desk_days_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_11_x(one_desk_day):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: withdraw the notice of {self.tenants[contract['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def change_contract(
        self,
        contract_id: str,
        plan_id: str | None = None,
        seats: Annotated[int, {"minimum": 1, "maximum": 20}] | None = None,
        space_id: str | None = None,
    ) -> Result:
        """Change plan, seats or space of a running contract from today, but not to a lower rent where the plan has a
        notice period; the deposit follows.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            plan_id (str, optional): New plan of the contract; an id such as PLAN-00001. If left out, the plan
                stays as it is.
            seats (int, optional): New number of seats, from 1 to 20. If left out, the number of seats stays as it
                is.
            space_id (str, optional): New desk or office of the tenant's own; an id such as SPACE-00001. If left
                out, the space stays, but is given up under a flexible plan.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        plan = self.plans.get(plan_id) if plan_id is not None else None
        if plan_id is not None and plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        space = self.spaces.get(space_id) if space_id is not None else None
        if space_id is not None and space is None:
            return _refused(f"There is no space {space_id!r}.")
        if contract["status"] != "running":
            return _refused(f"The contract of {self.tenants[contract['tenant_id']]['name']} is {contract['status']}.")
        if contract["starts"] > self.now[:10]:
            return _refused(
                f"The contract of {self.tenants[contract['tenant_id']]['name']} begins on {contract['starts']}."
            )
        if plan_id is None and seats is None and space_id is None:
            return _refused("Give a plan, seats or a space.")
        so_plan = plan or self.plans[contract["plan_id"]]
        so_many = seats if seats is not None else contract["seats"]
        there = space or self.spaces.get(contract["space_id"])
        if so_plan["sort"] == "flexible" and space_id is not None:
            return _refused(f"{so_plan['name']} comes without a space of one's own.")
        if not (so_plan["sort"] == "flexible" or there is not None and self._suits(there, so_plan)):
            return _refused(f"{so_plan['name']} needs a space of that sort.")
        if so_plan["sort"] != "flexible" and there is not None and so_many > there["seats"]:
            return _refused(f"That space has too few seats for {so_many}.")
        if (
            self.plans[contract["plan_id"]]["notice_months"] != 0
            and so_plan["monthly"] * so_many < self.plans[contract["plan_id"]]["monthly"] * contract["seats"]
        ):
            return _refused(
                f"{self.tenants[contract['tenant_id']]['name']} would pay less a month than now, which takes "
                f"{self.plans[contract['plan_id']]['notice_months']} months of notice."
            )
        sitting = next(
            (
                c
                for c in sorted(self._contracts_by_space.get(space_id, {}).values(), key=_age)
                if space_id is not None
                and c is not contract
                and self._live(c)
                and (c["ends"] is None or c["ends"] >= self.now[:10])
            ),
            None,
        )
        if sitting is not None:
            return _refused(f"{self.tenants[sitting['tenant_id']]['name']} has that space.")
        used = next(
            (
                x
                for x in sorted(self._desk_days_by_desk.get(space_id, {}).values(), key=_age)
                if space_id is not None
                and x["used_on"] >= self.now[:10]
            ),
            None,
        )
        if used is not None:
            return _refused(f"That desk is booked on {used['used_on']}.")
        crowd = next(
            (
                v
                for v in sorted(self._visits_by_contract.get(contract_id, {}).values(), key=_age)
                if sum(
                    1
                    for w in self._visits_by_contract.get(contract_id, {}).values()
                    if w["comes_on"] == v["comes_on"]
                ) > so_plan["guests"] * so_many
            ),
            None,
        )
        if crowd is not None:
            return _refused(f"On {crowd['comes_on']} there are more guests than that would allow.")
        desks = next(
            (
                x
                for x in sorted(self._desk_days_by_contract.get(contract_id, {}).values(), key=_age)
                if sum(
                    1
                    for y in self._desk_days_by_contract.get(contract_id, {}).values()
                    if y["used_on"] == x["used_on"]
                ) > so_many
            ),
            None,
        )
        if desks is not None:
            return _refused(f"On {desks['used_on']} more than {so_many} desks are booked.")
        self._journal = []
        changed_contracts: list[Any] = []
        if space_id is not None:
            changed_contracts.append(contract)
            self._put("contracts", contract, "there_since", self.now[:10])
        self._put("contracts", contract, "plan_id", so_plan["id"])
        if not 1 <= so_many <= 20:
            return self._take_back(f"The seats of {contract['id']} must be between 1 and 20.")
        self._put("contracts", contract, "seats", so_many)
        self._put("contracts", contract, "space_id", _id_of(None if so_plan["sort"] == "flexible" else there))
        deposit = so_plan["monthly"] * so_many * 2
        if not 0 <= deposit <= 5000000:
            return self._take_back(f"The deposit of {contract['id']} must be between 0.00 and 50,000.00.")
        self._put("contracts", contract, "deposit", deposit)
        for one_contract in _distinct([contract, *changed_contracts]):
            if self._breaks_rule_3_a(one_contract):
                return self._take_back(RULES[2])
        for one_contract in _distinct([contract, *changed_contracts]):
            if self._breaks_rule_3_b(one_contract):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(contract):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(contract):
            return self._take_back(RULES[4])
        for one_contract in _distinct([contract, *changed_contracts]):
            if self._breaks_rule_8_c(one_contract):
                return self._take_back(RULES[7])
        for one_desk_day in _distinct(self._desk_days_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_9(one_desk_day):
                return self._take_back(RULES[8])
        for one_visit in _distinct(self._visits_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        done = f"change the contract of {self.tenants[contract['tenant_id']]['name']}"
        if plan is not None:
            done += f" to {plan['name']}"
        if seats is not None:
            done += f" to {seats} seats"
        if space is not None:
            done += f" to {space['code']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def end_contract(self, contract_id: str) -> Result:
        """End a contract whose last day is over; the space is free and the deposit goes back.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] != "noticed" or contract["ends"] is None:
            return _refused(f"The contract of {self.tenants[contract['tenant_id']]['name']} is {contract['status']}.")
        if contract["ends"] >= self.now[:10]:
            return _refused(f"{self.tenants[contract['tenant_id']]['name']} stays until {contract['ends']}.")
        self._journal = []
        self._put("contracts", contract, "deposit", 0)
        self._put("contracts", contract, "status", "ended")
        if self._breaks_rule_3_a(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(contract):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(contract):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(contract):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(contract):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_c(contract):
            return self._take_back(RULES[7])
        for one_visit in _distinct(self._visits_by_contract.get(contract["id"], {}).values()):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: end the contract of {self.tenants[contract['tenant_id']]['name']}.",
            "data": self._changes(),
        }

    def book_room(
        self,
        contract_id: str,
        room_id: str,
        held_on: Date,
        from_hour: Annotated[int, {"minimum": 7, "maximum": 21}],
        to_hour: Annotated[int, {"minimum": 8, "maximum": 22}],
        people: Annotated[int, {"minimum": 1, "maximum": 30}],
    ) -> Result:
        """Book a room for whole hours; what the credits of the month do not cover is charged.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            room_id (str): Id of the room, such as ROOM-00001.
            held_on (str): Day of the meeting, from today on and within 90 days, as YYYY-MM-DD.
            from_hour (int): Full hour of the day at which the meeting begins, from 7 to 21.
            to_hour (int): Full hour of the day at which the meeting ends, after the beginning, from 8 to 22.
            people (int): How many people meet, from 1 to 30.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if self.now[:10] > held_on or held_on > _plus_days(self.now[:10], 90):
            return _refused(f"Rooms are booked from {self.now[:10]} to {_plus_days(self.now[:10], 90)}.")
        if not self._covers(contract, held_on):
            return _refused(f"{self.tenants[contract['tenant_id']]['name']} has no contract for {held_on}.")
        if from_hour >= to_hour:
            return _refused(f"The last hour must come after {from_hour}.")
        if people > room["seats"]:
            return _refused(f"{room['name']} seats {room['seats']}, not {people}.")
        other = self._clash(room, held_on, from_hour, to_hour)
        if other is not None:
            return _refused(
                f"{room['name']} is taken by "
                f"{self.tenants[self.contracts[other['contract_id']]['tenant_id']]['name']} from "
                f"{other['from_hour']} to {other['to_hour']}."
            )
        needs = (to_hour - from_hour) * room["credits_an_hour"]
        self._journal = []
        charge = self.plans[contract["plan_id"]]["credit_costs"] * max(
            0,
            needs - self._credits_left(contract, held_on),
        )
        if not 0 <= charge <= 500000:
            return self._take_back("The charge of a room use must be between 0.00 and 5,000.00.")
        room_use: RoomUse = {
            "id": self._new_id("room_use", "RU", self.room_uses),
            "contract_id": contract_id,
            "room_id": room_id,
            "held_on": held_on,
            "from_hour": from_hour,
            "to_hour": to_hour,
            "people": people,
            "charge": charge,
            "status": "booked",
        }
        self._add("room_uses", room_use)
        if self._breaks_rule_1(room_use):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(room_use):
            return self._take_back(RULES[1])
        if self._breaks_rule_11_u(room_use):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {room['name']} for {self.tenants[contract['tenant_id']]['name']} on {held_on} from "
                f"{from_hour} to {to_hour} (new: room use {room_use['id']})."
            ),
            "data": {"room_use_id": room_use["id"], **self._changes()},
        }

    def cancel_room(self, room_use_id: str) -> Result:
        """Cancel the use of a room that has not begun.

        Args:
            room_use_id (str): Id of the room use, such as RU-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        room_use = self.room_uses.get(room_use_id)
        if room_use is None:
            return _refused(f"There is no room use {room_use_id!r}.")
        if room_use["status"] != "booked":
            return _refused(f"That booking is {room_use['status']}.")
        if room_use["held_on"] <= self.now[:10]:
            return _refused(
                f"{room_use['held_on']} is too late; rooms are cancelled on the day before at the latest."
            )
        self._journal = []
        self._put("room_uses", room_use, "status", "cancelled")
        if self._breaks_rule_1(room_use):
            return self._take_back(RULES[0])
        if self._breaks_rule_11_u(room_use):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel {self.rooms[room_use['room_id']]['name']} of "
                f"{self.tenants[self.contracts[room_use['contract_id']]['tenant_id']]['name']} on "
                f"{room_use['held_on']}."
            ),
            "data": self._changes(),
        }

    def book_desk(self, contract_id: str, desk_id: str, used_on: Date) -> Result:
        """Book a desk for a day under a flexible plan; days beyond those included are charged.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            desk_id (str): Desk that is free that day; an id such as SPACE-00001.
            used_on (str): Day on which the desk is used, from today on and within 60 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        desk = self.spaces.get(desk_id)
        if desk is None:
            return _refused(f"There is no space {desk_id!r}.")
        if self.plans[contract["plan_id"]]["sort"] != "flexible":
            return _refused(f"{self.tenants[contract['tenant_id']]['name']} has a place of its own.")
        if self.now[:10] > used_on or used_on > _plus_days(self.now[:10], 60):
            return _refused(f"Desks are booked from {self.now[:10]} to {_plus_days(self.now[:10], 60)}.")
        if not self._covers(contract, used_on):
            return _refused(f"{self.tenants[contract['tenant_id']]['name']} has no contract for {used_on}.")
        if not (desk["sort"] == "desk" and self._desk_free(desk, used_on)):
            return _refused(f"{desk['code']} is no free desk on {used_on}.")
        if sum(
            1
            for x in self._desk_days_by_contract.get(contract_id, {}).values()
            if x["used_on"] == used_on
        ) >= contract["seats"]:
            return _refused(
                f"{self.tenants[contract['tenant_id']]['name']} has {contract['seats']} seats and as many desks "
                f"on {used_on}."
            )
        self._journal = []
        charge = self.plans[contract["plan_id"]]["desk_costs"] * (
            0
            if self._days_used(contract, used_on) < self.plans[contract["plan_id"]]["desk_days"] * contract["seats"]
            else 1
        )
        if not 0 <= charge <= 5000:
            return self._take_back("The charge of a desk day must be between 0.00 and 50.00.")
        desk_day: DeskDay = {
            "id": self._new_id("desk_day", "DD", self.desk_days),
            "contract_id": contract_id,
            "desk_id": desk_id,
            "used_on": used_on,
            "charge": charge,
        }
        self._add("desk_days", desk_day)
        if self._breaks_rule_8_x(desk_day):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_x_again(desk_day):
            return self._take_back(RULES[7])
        for one_desk_day in _distinct(
            [desk_day, *self._desk_days_by_contract.get(desk_day["contract_id"], {}).values()]
        ):
            if self._breaks_rule_9(one_desk_day):
                return self._take_back(RULES[8])
        if self._breaks_rule_11_x(desk_day):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {desk['code']} for {self.tenants[contract['tenant_id']]['name']} on {used_on} (new: "
                f"desk day {desk_day['id']})."
            ),
            "data": {"desk_day_id": desk_day["id"], **self._changes()},
        }

    def give_desk_back(self, desk_day_id: str) -> Result:
        """Give back a desk that was booked for a day to come.

        Args:
            desk_day_id (str): Id of the desk day, such as DD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        desk_day = self.desk_days.get(desk_day_id)
        if desk_day is None:
            return _refused(f"There is no desk day {desk_day_id!r}.")
        if desk_day["used_on"] <= self.now[:10]:
            return _refused(f"{desk_day['used_on']} is too late to give a desk back.")
        self._journal = []
        self._remove("desk_days", desk_day)
        for one_desk_day in _distinct(self._desk_days_by_contract.get(desk_day["contract_id"], {}).values()):
            if one_desk_day["id"] in self.desk_days and self._breaks_rule_9(one_desk_day):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: give back {self.spaces[desk_day['desk_id']]['code']} of "
                f"{self.tenants[self.contracts[desk_day['contract_id']]['tenant_id']]['name']} on "
                f"{desk_day['used_on']}."
            ),
            "data": self._changes(),
        }

    def register_guest(self, contract_id: str, guest: Text, comes_on: Date) -> Result:
        """Register a guest of a tenant for a day.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            guest (str): Full name of the guest.
            comes_on (str): Day on which the guest comes, from today on, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if not (comes_on >= self.now[:10] and self._covers(contract, comes_on)):
            return _refused(
                f"{self.tenants[contract['tenant_id']]['name']} has no contract for {comes_on}, or the day is over."
            )
        if any(
            each["comes_on"] == comes_on
            for each in self._visits_by_contract.get(contract_id, {}).values()
            if each["guest"] == guest
        ):
            return _refused(f"{guest} is registered for {comes_on} already.")
        if sum(
            1
            for v in self._visits_by_contract.get(contract_id, {}).values()
            if v["comes_on"] == comes_on
        ) >= self.plans[contract["plan_id"]]["guests"] * contract["seats"]:
            return _refused(
                f"{self.tenants[contract['tenant_id']]['name']} may have "
                f"{self.plans[contract['plan_id']]['guests'] * contract['seats']} guests a day."
            )
        self._journal = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "contract_id": contract_id,
            "guest": guest,
            "comes_on": comes_on,
        }
        self._add("visits", visit)
        for one_visit in _distinct([visit, *self._visits_by_contract.get(visit["contract_id"], {}).values()]):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: register {guest} with {self.tenants[contract['tenant_id']]['name']} on {comes_on} (new: "
                f"visit {visit['id']})."
            ),
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def _show_room_use(self, room_use: RoomUse) -> dict[str, Any]:
        """The room use as an answer shows it."""
        return {**room_use, "credits": self._room_use_credits(room_use)}

    def _names_of_contracts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contracts point to."""
        return _names(
            (self.tenants, "name", [row["tenant_id"] for row in shown]),
            (self.plans, "name", [row["plan_id"] for row in shown]),
            (self.spaces, "code", [row["space_id"] for row in shown]),
        )

    def _names_of_room_uses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that room uses point to."""
        return _names((self.rooms, "name", [row["room_id"] for row in shown]))

    def _names_of_desk_days(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that desk days point to."""
        return _names((self.spaces, "code", [row["desk_id"] for row in shown]))

    def _room_use_credits(self, room_use: RoomUse) -> int:
        """The credits of a room use."""
        return (room_use["to_hour"] - room_use["from_hour"]) * self.rooms[room_use["room_id"]]["credits_an_hour"]

    def _live(self, c: Contract) -> bool:
        return c["status"] in ("running", "noticed")

    def _contract_of(self, t: Tenant) -> Contract | None:
        return next(
            (c for c in sorted(self._contracts_by_tenant.get(t["id"], {}).values(), key=_age) if self._live(c)),
            None,
        )

    def _covers(self, c: Contract, d: str) -> bool:
        return self._live(c) and c["starts"] <= d and (c["ends"] is None or d <= c["ends"])

    def _included(self, c: Contract) -> int:
        return self.plans[c["plan_id"]]["room_credits"] * c["seats"]

    def _spent(self, c: Contract, d: str) -> int:
        return sum(
            self._room_use_credits(u)
            for u in self._room_uses_by_contract_status.get((c["id"], "booked"), {}).values()
            if u["held_on"][:8] + "01" == d[:8] + "01"
        )

    def _credits_left(self, c: Contract, d: str) -> int:
        return max(0, self._included(c) - self._spent(c, d))

    def _days_used(self, c: Contract, d: str) -> int:
        return sum(
            1
            for x in self._desk_days_by_contract.get(c["id"], {}).values()
            if x["used_on"][:8] + "01" == d[:8] + "01"
        )

    def _clash(self, r: Room, d: str, a: int, b: int) -> RoomUse | None:
        return next(
            (
                u
                for u in sorted(self._room_uses_by_room_status.get((r["id"], "booked"), {}).values(), key=_age)
                if u["held_on"] == d
                and _overlap(u["from_hour"], u["to_hour"], a, b)
            ),
            None,
        )

    def _desk_free(self, s: Space, d: str) -> bool:
        return (
            s["sort"] == "desk"
            and not any(x["used_on"] == d for x in self._desk_days_by_desk.get(s["id"], {}).values())
            and not any(self._covers(c, d) for c in self._contracts_by_space.get(s["id"], {}).values())
        )

    def _let_from(self, s: Space, d: str) -> Contract | None:
        return next(
            (
                c
                for c in sorted(self._contracts_by_space.get(s["id"], {}).values(), key=_age)
                if self._live(c)
                and (c["ends"] is None or c["ends"] >= d)
            ),
            None,
        )

    def _suits(self, s: Space, p: Plan) -> bool:
        return p["sort"] == "own_desk" and s["sort"] == "desk" or p["sort"] == "office" and s["sort"] == "office"

    def _breaks_rule_1(self, a: RoomUse) -> bool:
        """Whether this is broken: a room is used by one party at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["from_hour"], a["to_hour"], b["from_hour"], b["to_hour"])
                for b in self._room_uses_by_room_status.get((a["room_id"], "booked"), {}).values()
                if a is not b
                and a["held_on"] == b["held_on"]
            )
        )

    def _breaks_rule_2(self, u: RoomUse) -> bool:
        """Whether this is broken: rooms are booked for at least an hour and for no more people than they seat."""
        return u["from_hour"] >= u["to_hour"] or u["people"] > self.rooms[u["room_id"]]["seats"]

    def _breaks_rule_3_a(self, a: Contract) -> bool:
        """Whether this is broken: a space is let to one contract at a time."""
        return (
            a["space_id"] is not None
            and self._live(a)
            and any(
                not (
                    a["ends"] is not None
                    and a["ends"] < b["there_since"]
                    or b["ends"] is not None
                    and b["ends"] < a["there_since"]
                )
                for b in self._contracts_by_space.get(a["space_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_3_b(self, b: Contract) -> bool:
        """Whether this is broken: a space is let to one contract at a time."""
        return (
            self._live(b)
            and any(
                not (
                    a["ends"] is not None
                    and a["ends"] < b["there_since"]
                    or b["ends"] is not None
                    and b["ends"] < a["there_since"]
                )
                for a in self._contracts_by_space.get(b["space_id"], {}).values()
                if a is not b
                and a["space_id"] is not None
                and self._live(a)
            )
        )

    def _breaks_rule_4(self, c: Contract) -> bool:
        """Whether this is broken: a space has as many seats as its contract."""
        return self._live(c) and (c["space_id"] is not None and c["seats"] > self.spaces[c["space_id"]]["seats"])

    def _breaks_rule_5(self, c: Contract) -> bool:
        """Whether this is broken: offices and own desks come with a space of their sort, flexible plans with none.
        """
        return not (
            (self.plans[c["plan_id"]]["sort"] == "flexible") == (c["space_id"] is None)
            and (c["space_id"] is None or self._suits(self.spaces[c["space_id"]], self.plans[c["plan_id"]]))
        )

    def _breaks_rule_6(self, c: Contract) -> bool:
        """Whether this is broken: a tenant has one live contract."""
        return (
            self._live(c)
            and any(
                other_c is not c
                for other_c in self._contracts_by_tenant.get(c["tenant_id"], {}).values()
                if self._live(other_c)
            )
        )

    def _breaks_rule_7(self, c: Contract) -> bool:
        """Whether this is broken: a contract under notice has a last day, and a running one has none."""
        return (c["status"] == "running") != (c["ends"] is None)

    def _breaks_rule_8_x(self, x: DeskDay) -> bool:
        """Whether this is broken: a desk is used by one contract a day, and nobody but its tenant uses a desk that is
        let.
        """
        return any(
            other_x is not x
            for other_x in self._desk_days_by_desk.get(x["desk_id"], {}).values()
            if other_x["used_on"] == x["used_on"]
        )

    def _breaks_rule_8_x_again(self, x: DeskDay) -> bool:
        """Whether this is broken: a desk is used by one contract a day, and nobody but its tenant uses a desk that is
        let.
        """
        return any(
            not (
                x["desk_id"] != c["space_id"]
                or x["used_on"] < c["there_since"]
                or not self._live(c)
                or c["ends"] is not None
                and c["ends"] < x["used_on"]
            )
            for c in self._contracts_by_space.get(x["desk_id"], {}).values()
        )

    def _breaks_rule_8_c(self, c: Contract) -> bool:
        """Whether this is broken: a desk is used by one contract a day, and nobody but its tenant uses a desk that is
        let.
        """
        return any(
            not (
                x["desk_id"] != c["space_id"]
                or x["used_on"] < c["there_since"]
                or not self._live(c)
                or c["ends"] is not None
                and c["ends"] < x["used_on"]
            )
            for x in self._desk_days_by_desk.get(c["space_id"], {}).values()
        )

    def _breaks_rule_9(self, x: DeskDay) -> bool:
        """Whether this is broken: no contract uses more desks on a day than it has seats."""
        return sum(
            1
            for y in self._desk_days_by_contract.get(x["contract_id"], {}).values()
            if y["used_on"] == x["used_on"]
        ) > self.contracts[x["contract_id"]]["seats"]

    def _breaks_rule_10(self, v: Visit) -> bool:
        """Whether this is broken: a contract has no more guests on a day than its plan allows for its seats."""
        return (
            self._live(self.contracts[v["contract_id"]])
            and sum(
                1
                for w in self._visits_by_contract.get(v["contract_id"], {}).values()
                if w["comes_on"] == v["comes_on"]
            ) > self.plans[
                self.contracts[v["contract_id"]]["plan_id"]
            ]["guests"] * self.contracts[v["contract_id"]]["seats"]
        )

    def _breaks_rule_11_u(self, u: RoomUse) -> bool:
        """Whether this is broken: nothing is booked after the last day of a contract."""
        return (
            u["status"] == "booked"
            and (
                self.contracts[u["contract_id"]]["ends"] is not None
                and u["held_on"] > self.contracts[u["contract_id"]]["ends"]
            )
        )

    def _breaks_rule_11_x(self, x: DeskDay) -> bool:
        """Whether this is broken: nothing is booked after the last day of a contract."""
        return (
            self.contracts[x["contract_id"]]["ends"] is not None
            and x["used_on"] > self.contracts[x["contract_id"]]["ends"]
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
            case "contracts":
                self._contracts_by_space.setdefault(record["space_id"], {})[record["id"]] = record
                self._contracts_by_tenant.setdefault(record["tenant_id"], {})[record["id"]] = record
            case "room_uses":
                self._room_uses_by_contract_status.setdefault(
                    (record["contract_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._room_uses_by_room_status.setdefault(
                    (record["room_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "desk_days":
                self._desk_days_by_contract.setdefault(record["contract_id"], {})[record["id"]] = record
                self._desk_days_by_desk.setdefault(record["desk_id"], {})[record["id"]] = record
            case "visits":
                self._visits_by_contract.setdefault(record["contract_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contracts":
                del self._contracts_by_space[record["space_id"]][record["id"]]
                del self._contracts_by_tenant[record["tenant_id"]][record["id"]]
            case "room_uses":
                del self._room_uses_by_contract_status[record["contract_id"], record["status"]][record["id"]]
                del self._room_uses_by_room_status[record["room_id"], record["status"]][record["id"]]
            case "desk_days":
                del self._desk_days_by_contract[record["contract_id"]][record["id"]]
                del self._desk_days_by_desk[record["desk_id"]][record["id"]]
            case "visits":
                del self._visits_by_contract[record["contract_id"]][record["id"]]
