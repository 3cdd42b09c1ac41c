"""Facility maintenance. Compiled from blueprint.yaml; run `envscaler build facility_maintenance` after changing it there.

Keeps the plant of a site going, with assets in a tree, plans by meter reading, work orders under lock-out,
reserved spare parts and contractors.
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
    "Nothing runs at or below an asset that is locked out.",
    "Nothing runs while what it belongs to stands still.",
    "No more of a part is reserved than lies in the store.",
    "A locked or finished order has a contractor of its skill.",
    "A contractor has at most three orders in hand.",
    "A plan has one order in hand at a time, for its own asset and skill.",
    "An asset is locked out by one order at a time.",
    "Finished orders have a cost, and no others.",
    "A part stands once on an order.",
    "No plan was done at a reading its asset has not reached.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "read_meter",
    "open_order",
    "assign_contractor",
    "renew_insurance",
    "reserve_part",
    "receive_part",
    "lock_out",
    "finish_order",
    "cancel_order",
    "stop_asset",
    "start_asset",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "assets": ("tag",),
    "plans": ("title",),
    "parts": ("name",),
    "contractors": ("name",),
    "work_orders": ("number",),
    "part_lines": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("assets", "within_id"),
    ("part_lines", "order_id"),
    ("part_lines", "part_id"),
    ("plans", "asset_id"),
    ("work_orders", "asset_id"),
    ("work_orders", "contractor_id"),
    ("work_orders", "number"),
    ("work_orders", "plan_id"),
    ("work_orders", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Asset(TypedDict):
    id: str
    tag: str
    within_id: str | None
    meter: int
    status: Literal["running", "stopped"]


class Plan(TypedDict):
    id: str
    title: str
    asset_id: str
    every: int
    last_at: int
    skill: Literal["electrical", "mechanical", "cooling"]


class Part(TypedDict):
    id: str
    name: str
    stock: int
    price: int


class Contractor(TypedDict):
    id: str
    name: str
    skill: Literal["electrical", "mechanical", "cooling"]
    hourly: int
    insured_until: str


class WorkOrder(TypedDict):
    id: str
    number: str
    asset_id: str
    plan_id: str | None
    skill: Literal["electrical", "mechanical", "cooling"]
    urgent: bool
    opened_at: str
    contractor_id: str | None
    cost: int | None
    status: Literal["open", "locked", "cancelled", "done"]


class PartLine(TypedDict):
    id: str
    order_id: str
    part_id: str
    number: int


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class FacilityMaintenance:
    """Keeps the plant of a site going, with assets in a tree, plans by meter reading, work orders under
    lock-out, reserved spare parts and contractors.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.assets: dict[str, Asset] = _copied(config.get("assets", {}))
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.parts: dict[str, Part] = _copied(config.get("parts", {}))
        self.contractors: dict[str, Contractor] = _copied(config.get("contractors", {}))
        self.work_orders: dict[str, WorkOrder] = _copied(config.get("work_orders", {}))
        self.part_lines: dict[str, PartLine] = _copied(config.get("part_lines", {}))
        self.now: str = config.get("now", "2026-10-22T07:15")
        self.counters: dict[str, int] = {
            "asset": len(self.assets),
            "plan": len(self.plans),
            "part": len(self.parts),
            "contractor": len(self.contractors),
            "work_order": len(self.work_orders),
            "part_line": len(self.part_lines),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._assets_by_within: dict[Any, dict[str, Asset]] = {}
        self._plans_by_asset: dict[Any, dict[str, Plan]] = {}
        self._work_orders_by_asset: dict[Any, dict[str, WorkOrder]] = {}
        self._work_orders_by_asset_status: dict[Any, dict[str, WorkOrder]] = {}
        self._work_orders_by_contractor: dict[Any, dict[str, WorkOrder]] = {}
        self._work_orders_by_number: dict[Any, dict[str, WorkOrder]] = {}
        self._work_orders_by_plan: dict[Any, dict[str, WorkOrder]] = {}
        self._part_lines_by_order: dict[Any, dict[str, PartLine]] = {}
        self._part_lines_by_order_part: dict[Any, dict[str, PartLine]] = {}
        self._part_lines_by_part: dict[Any, dict[str, PartLine]] = {}
        for asset in self.assets.values():
            self._link("assets", asset)
        for plan in self.plans.values():
            self._link("plans", plan)
        for work_order in self.work_orders.values():
            self._link("work_orders", work_order)
        for part_line in self.part_lines.values():
            self._link("part_lines", part_line)

    def plans_due(
        self,
        within_units: Annotated[int, {"minimum": 0, "maximum": 3000}],
        skill: Literal["electrical", "mechanical", "cooling"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Plans that are due within some meter units and have no order in hand, the most overdue first.

        Args:
            within_units (int): Meter units within which a plan falls due, 0 for those due now, from 0 to 3000.
            skill (str, optional): Only plans that need this trade: electrical, mechanical or cooling. If left out,
                plans of all trades are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self.plans.values()
            if (
                self._plan_due_in(p) <= within_units
                and not any(self._live(w) for w in self._work_orders_by_plan.get(p["id"], {}).values())
            )
            and (skill is None or p["skill"] == skill)
        ]
        found.sort(key=lambda p: (self._plan_due_in(p), p["title"], _age(p)))
        return _found(
            {
                "total": len(found),
                "plans": [
                    {
                        "id": p["id"],
                        "title": p["title"],
                        "asset": self.assets[p["asset_id"]]["tag"],
                        "due_in": self._plan_due_in(p),
                        "skill": p["skill"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def tree_below(self, asset_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Everything below an asset, with what holds it.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assets": records}} or {"success": False, "error": why
                not}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [a for a in _below(self._assets_by_within, asset)]
        shown = [
            {
                "id": a["id"],
                "tag": a["tag"],
                "within": a["within_id"],
                "status": a["status"],
                "locked": self._lock_over(a) is not None,
            }
            for a in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "assets": shown},
            _names((self.assets, "tag", [row["within"] for row in shown])),
        )

    def free_contractors(
        self,
        skill: Literal["electrical", "mechanical", "cooling"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Insured contractors of a skill who can take another order, the cheapest first.

        Args:
            skill (str): Trade that the contractor must have: electrical, mechanical or cooling.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contractors": records}} or {"success": False, "error":
                why not}
        """
        found = [
            c
            for c in self.contractors.values()
            if (c["skill"] == skill and c["insured_until"] >= self.now[:10] and self._contractor_busy(c) < 3)
        ]
        found.sort(key=lambda c: (c["hourly"], c["name"], _age(c)))
        return _found({"total": len(found), "contractors": [self._show_contractor(c) for c in _page(found, offset)]})

    def shopping_list(
        self,
        up_to: Annotated[int, {"minimum": 0, "maximum": 50}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Parts of which no more than a few are free.

        Args:
            up_to (int): Most free pieces that a listed part may have, from 0 to 50.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}} or {"success": False, "error": why
                not}
        """
        found = [p for p in self.parts.values() if self._part_free(p) <= up_to]
        found.sort(key=lambda p: (self._part_free(p), p["name"], _age(p)))
        return _found({"total": len(found), "parts": [self._show_part(p) for p in _page(found, offset)]})

    def list_assets(
        self,
        tag: Text | None = None,
        within_id: str | None = None,
        status: Literal["running", "stopped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the assets, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only assets whose tag contains this text.
            within_id (str, optional): Only assets within this asset.
            status (str, optional): Only assets with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assets": records}}
        """
        if within_id is not None and within_id not in self.assets:
            return _refused(f"There is no asset {within_id!r}.")
        found = [
            asset
            for asset in self.assets.values()
            if (tag is None or tag.casefold() in asset["tag"].casefold())
            and (within_id is None or asset["within_id"] == within_id)
            and (status is None or asset["status"] == status)
        ]
        shown = [self._show_asset(asset) for asset in _page(found, offset)]
        return _found({"total": len(found), "assets": shown}, self._names_of_assets(shown))

    def list_plans(
        self,
        title: Text | None = None,
        asset_id: str | None = None,
        skill: Literal["electrical", "mechanical", "cooling"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            title (str, optional): Only plans whose title contains this text.
            asset_id (str, optional): Only plans of this asset.
            skill (str, optional): Only plans with this skill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [
            plan
            for plan in self.plans.values()
            if (title is None or title.casefold() in plan["title"].casefold())
            and (asset_id is None or plan["asset_id"] == asset_id)
            and (skill is None or plan["skill"] == skill)
        ]
        shown = [self._show_plan(plan) for plan in _page(found, offset)]
        return _found({"total": len(found), "plans": shown}, self._names_of_plans(shown))

    def list_parts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}}
        """
        found = [part for part in self.parts.values() if (name is None or name.casefold() in part["name"].casefold())]
        return _found({"total": len(found), "parts": [self._show_part(part) for part in _page(found, offset)]})

    def list_contractors(
        self,
        name: Text | None = None,
        skill: Literal["electrical", "mechanical", "cooling"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contractors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only contractors whose name contains this text.
            skill (str, optional): Only contractors with this skill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contractors": records}}
        """
        found = [
            contractor
            for contractor in self.contractors.values()
            if (name is None or name.casefold() in contractor["name"].casefold())
            and (skill is None or contractor["skill"] == skill)
        ]
        return _found(
            {
                "total": len(found),
                "contractors": [self._show_contractor(contractor) for contractor in _page(found, offset)],
            }
        )

    def list_work_orders(
        self,
        number: Text | None = None,
        asset_id: str | None = None,
        plan_id: str | None = None,
        skill: Literal["electrical", "mechanical", "cooling"] | None = None,
        urgent: bool | None = None,
        contractor_id: str | None = None,
        status: Literal["open", "locked", "cancelled", "done"] | None = None,
        opened_at_from: Date | None = None,
        opened_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the work orders, oldest first, all of them or only some.

        Args:
            number (str, optional): Only work orders whose number contains this text.
            asset_id (str, optional): Only work orders of this asset.
            plan_id (str, optional): Only work orders of this plan.
            skill (str, optional): Only work orders with this skill.
            urgent (bool, optional): Only work orders that are urgent (true) or not (false).
            contractor_id (str, optional): Only work orders of this contractor.
            status (str, optional): Only work orders with this status.
            opened_at_from (str, optional): Only work orders whose `opened_at` is on this day or later.
            opened_at_to (str, optional): Only work orders whose `opened_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "work_orders": records}}
        """
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        if contractor_id is not None and contractor_id not in self.contractors:
            return _refused(f"There is no contractor {contractor_id!r}.")
        found = [
            work_order
            for work_order in self.work_orders.values()
            if (number is None or number.casefold() in work_order["number"].casefold())
            and (asset_id is None or work_order["asset_id"] == asset_id)
            and (plan_id is None or work_order["plan_id"] == plan_id)
            and (skill is None or work_order["skill"] == skill)
            and (urgent is None or work_order["urgent"] == urgent)
            and (contractor_id is None or work_order["contractor_id"] == contractor_id)
            and (status is None or work_order["status"] == status)
            and (opened_at_from is None or work_order["opened_at"][:10] >= opened_at_from)
            and (opened_at_to is None or work_order["opened_at"][:10] <= opened_at_to)
        ]
        shown = [{**work_order} for work_order in _page(found, offset)]
        return _found({"total": len(found), "work_orders": shown}, self._names_of_work_orders(shown))

    def list_part_lines(
        self,
        order_id: str | None = None,
        part_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the part lines, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only part lines whose order is this work order.
            part_id (str, optional): Only part lines of this part.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "part_lines": records}}
        """
        if order_id is not None and order_id not in self.work_orders:
            return _refused(f"There is no work order {order_id!r}.")
        if part_id is not None and part_id not in self.parts:
            return _refused(f"There is no part {part_id!r}.")
        found = [
            part_line
            for part_line in self.part_lines.values()
            if (order_id is None or part_line["order_id"] == order_id)
            and (part_id is None or part_line["part_id"] == part_id)
        ]
        shown = [{**part_line} for part_line in _page(found, offset)]
        return _found({"total": len(found), "part_lines": shown}, self._names_of_part_lines(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def read_meter(self, asset_id: str, reading: Annotated[int, {"minimum": 0, "maximum": 90000}]) -> Result:
        """Enter the meter reading of an asset.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            reading (int): New reading of the meter, higher than before, from 0 to 90000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if reading <= asset["meter"]:
            return _refused(f"{asset['tag']} stood at {asset['meter']} already.")
        if reading > asset["meter"] + 3000:
            return _refused(f"{reading} is too far from {asset['meter']} to be right.")
        self._journal = []
        self._put("assets", asset, "meter", reading)
        for one_plan in _distinct(self._plans_by_asset.get(asset["id"], {}).values()):
            if self._breaks_rule_10(one_plan):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: read {reading} at {asset['tag']}.", "data": self._changes()}

    def open_order(
        self,
        number: Text,
        asset_id: str,
        skill: Literal["electrical", "mechanical", "cooling"],
        plan_id: str | None = None,
        urgent: bool = False,
    ) -> Result:
        """Open a work order for an asset, under one of its plans where it is maintenance.

        Args:
            number (str): Number of the new work order, not in use yet.
            asset_id (str): Id of the asset, such as ASSET-00001.
            skill (str): Trade that the work needs, for maintenance that of the plan: electrical, mechanical or
                cooling.
            plan_id (str, optional): Maintenance plan of the asset, due soon and without an order; an id such as
                PLAN-00001. If left out, the order is a repair without a plan.
            urgent (bool): Whether the work is urgent. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        plan = self.plans.get(plan_id) if plan_id is not None else None
        if plan_id is not None and plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if self._work_orders_by_number.get(number, {}):
            return _refused(f"There is an order {number} already.")
        if not (plan_id is None or plan["asset_id"] == asset_id and plan["skill"] == skill):
            return _refused(f"{plan['title']} is {plan['skill']} work on {self.assets[plan['asset_id']]['tag']}.")
        if plan_id is not None and self._plan_due_in(plan) > 200:
            return _refused(f"{plan['title']} is due in {self._plan_due_in(plan)} only.")
        if not (
            plan_id is None
            or not any(self._live(w) for w in self._work_orders_by_plan.get(plan_id, {}).values())
        ):
            return _refused(f"{plan['title']} has an order in hand.")
        self._journal = []
        work_order: WorkOrder = {
            "id": self._new_id("work_order", "WO", self.work_orders),
            "number": number,
            "asset_id": asset_id,
            "plan_id": plan_id,
            "skill": skill,
            "urgent": urgent,
            "opened_at": self.now,
            "contractor_id": None,
            "cost": None,
            "status": "open",
        }
        self._add("work_orders", work_order)
        if len(self._work_orders_by_number.get(work_order["number"], {})) > 1:
            return self._take_back(f"There is already a work order with the number {work_order['number']!r}.")
        if self._breaks_rule_1(work_order):
            return self._take_back(RULES[0])
        if self._breaks_rule_4_w(work_order):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_w_again(work_order):
            return self._take_back(RULES[3])
        for one_contractor in _distinct([self.contractors.get(work_order["contractor_id"])]):
            if self._breaks_rule_5(one_contractor):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_w(work_order):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_w_again(work_order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(work_order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(work_order):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: open order {number} for {asset['tag']} (new: work order {work_order['id']}).",
            "data": {"work_order_id": work_order["id"], **self._changes()},
        }

    def assign_contractor(self, order_id: str, contractor_id: str) -> Result:
        """Give an open order to a contractor, or to another one.

        Args:
            order_id (str): Open work order that the contractor gets; an id such as WO-00001.
            contractor_id (str): Id of the contractor, such as CONTRACTOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.work_orders.get(order_id)
        if order is None:
            return _refused(f"There is no work order {order_id!r}.")
        contractor = self.contractors.get(contractor_id)
        if contractor is None:
            return _refused(f"There is no contractor {contractor_id!r}.")
        if order["status"] != "open":
            return _refused(f"Order {order['number']} is {order['status']}.")
        if order["contractor_id"] == contractor_id:
            return _refused(f"{contractor['name']} has it already.")
        if contractor["skill"] != order["skill"]:
            return _refused(
                f"{contractor['name']} does {contractor['skill']} work, and order {order['number']} is "
                f"{order['skill']}."
            )
        if contractor["insured_until"] < self.now[:10]:
            return _refused(f"The insurance of {contractor['name']} ended on {contractor['insured_until']}.")
        if self._contractor_busy(contractor) >= 3:
            return _refused(f"{contractor['name']} has three orders in hand.")
        self._journal = []
        former_contractor_id = order["contractor_id"]
        self._put("work_orders", order, "contractor_id", contractor_id)
        if self._breaks_rule_4_w(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_w_again(order):
            return self._take_back(RULES[3])
        for one_contractor in _distinct(
            [self.contractors.get(order["contractor_id"]), self.contractors.get(former_contractor_id)]
        ):
            if self._breaks_rule_5(one_contractor):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: give order {order['number']} to {contractor['name']}.",
            "data": self._changes(),
        }

    def renew_insurance(self, contractor_id: str, until: Date) -> Result:
        """Enter the new insurance of a contractor.

        Args:
            contractor_id (str): Id of the contractor, such as CONTRACTOR-00001.
            until (str): Last day of the new insurance, later than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contractor = self.contractors.get(contractor_id)
        if contractor is None:
            return _refused(f"There is no contractor {contractor_id!r}.")
        if until <= contractor["insured_until"] or until <= self.now[:10]:
            return _refused(f"{contractor['name']} is insured until {contractor['insured_until']} already.")
        self._journal = []
        self._put("contractors", contractor, "insured_until", until)
        return {
            "success": True,
            "message": f"Done: enter the insurance of {contractor['name']} until {until}.",
            "data": self._changes(),
        }

    def reserve_part(
        self,
        order_id: str,
        part_id: str,
        number: Annotated[int, {"minimum": 0, "maximum": 90}],
    ) -> Result:
        """Reserve a spare part for an order, or change how many; none takes it off the order again.

        Args:
            order_id (str): Work order that needs the part; an id such as WO-00001.
            part_id (str): Id of the part, such as PART-00001.
            number (int): Pieces reserved for the order in all, 0 to release them, from 0 to 90.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.work_orders.get(order_id)
        if order is None:
            return _refused(f"There is no work order {order_id!r}.")
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        if not self._live(order):
            return _refused(f"Order {order['number']} is {order['status']}.")
        line = next(
            (l for l in sorted(self._part_lines_by_order_part.get((order_id, part_id), {}).values(), key=_age)),
            None,
        )
        had = sum(l["number"] for l in self._part_lines_by_order_part.get((order_id, part_id), {}).values())
        if number == had:
            return _refused(f"{number} {part['name']} are reserved already.")
        if self._part_free(part) + had < number:
            return _refused(f"{self._part_free(part) + had} {part['name']} are free, not {number}.")
        self._journal = []
        added_part_lines: list[Any] = []
        deleted_part_lines: list[Any] = []
        changed_part_lines: list[Any] = []
        if line is None:
            if not 1 <= number <= 90:
                return self._take_back("The number of a part line must be between 1 and 90.")
            part_line = {
                "id": self._new_id("part_line", "PL", self.part_lines),
                "order_id": order_id,
                "part_id": part_id,
                "number": number,
            }
            self._add("part_lines", part_line)
            added_part_lines.append(part_line)
        else:
            if number == 0:
                if line["id"] in self.part_lines:
                    self._remove("part_lines", line)
                deleted_part_lines.append(line)
            else:
                if not 1 <= number <= 90:
                    return self._take_back(f"The number of {line['id']} must be between 1 and 90.")
                changed_part_lines.append(line)
                if line["id"] in self.part_lines:
                    self._put("part_lines", line, "number", number)
        for one_part in _distinct(
            [
                *[self.parts[one["part_id"]] for one in added_part_lines],
                *[self.parts[one["part_id"]] for one in deleted_part_lines],
                *[self.parts[one["part_id"]] for one in changed_part_lines],
            ]
        ):
            if self._breaks_rule_3(one_part):
                return self._take_back(RULES[2])
        for one_part_line in _distinct(added_part_lines):
            if one_part_line["id"] in self.part_lines and self._breaks_rule_9(one_part_line):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: reserve {number} {part['name']} for order {order['number']}.",
            "data": self._changes(),
        }

    def receive_part(self, part_id: str, number: Annotated[int, {"minimum": 1, "maximum": 200}]) -> Result:
        """Enter spare parts that were delivered.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            number (int): Pieces that were delivered, from 1 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        if part["stock"] + number > 900:
            return _refused(f"There is no room for {part['stock'] + number} {part['name']}.")
        self._journal = []
        stock = part["stock"] + number
        if not 0 <= stock <= 900:
            return self._take_back(f"The stock of {part['name']} must be between 0 and 900.")
        self._put("parts", part, "stock", stock)
        if self._breaks_rule_3(part):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: receive {number} {part['name']}.", "data": self._changes()}

    def lock_out(self, order_id: str) -> Result:
        """Lock the asset of an order out; it and everything below it stops.

        Args:
            order_id (str): Open work order with a contractor, whose asset is locked out; an id such as WO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.work_orders.get(order_id)
        if order is None:
            return _refused(f"There is no work order {order_id!r}.")
        if order["status"] != "open":
            return _refused(f"Order {order['number']} is {order['status']}.")
        if order["contractor_id"] is None:
            return _refused(f"Order {order['number']} has no contractor.")
        if self.contractors[order["contractor_id"]]["insured_until"] < self.now[:10]:
            return _refused(
                f"The insurance of {self.contractors[order['contractor_id']]['name']} ended on "
                f"{self.contractors[order['contractor_id']]['insured_until']}."
            )
        if self._work_orders_by_asset_status.get((order["asset_id"], "locked"), {}):
            return _refused(f"{self.assets[order['asset_id']]['tag']} is locked out by another order.")
        self._journal = []
        changed_assets: list[Any] = []
        for a in list(_below(self._assets_by_within, self.assets[order["asset_id"]])):
            if a["status"] == "running":
                changed_assets.append(a)
                self._put("assets", a, "status", "stopped")
        if self.assets[order["asset_id"]]["status"] == "running":
            asset = self.assets[order["asset_id"]]
            changed_assets.append(asset)
            self._put("assets", asset, "status", "stopped")
        self._put("work_orders", order, "status", "locked")
        for one_work_order in _distinct(
            [
                order,
                *[user for one in changed_assets for user in self._work_orders_by_asset.get(one["id"], {}).values()],
                *[
                    user
                    for one in [user for one in changed_assets for user in _above(self.assets, one, "within_id")]
                    for user in self._work_orders_by_asset.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_work_order):
                return self._take_back(RULES[0])
        for one_asset in _distinct(
            [
                *changed_assets,
                *[user for one in changed_assets for user in self._assets_by_within.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_asset):
                return self._take_back(RULES[1])
        for one_part in _distinct(
            [self.parts[one["part_id"]] for one in self._part_lines_by_order.get(order["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_part):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_w_again(order):
            return self._take_back(RULES[3])
        for one_contractor in _distinct([self.contractors.get(order["contractor_id"])]):
            if self._breaks_rule_5(one_contractor):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_w(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: lock {self.assets[order['asset_id']]['tag']} out for order {order['number']}.",
            "data": self._changes(),
        }

    def finish_order(self, order_id: str, labour_hours: Annotated[int, {"minimum": 1, "maximum": 60}]) -> Result:
        """Finish a locked order; its parts are used up, labour and parts are its cost, and the lock comes off.

        Args:
            order_id (str): Locked work order that is finished; an id such as WO-00001.
            labour_hours (int): Work of the contractor in hours, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.work_orders.get(order_id)
        if order is None:
            return _refused(f"There is no work order {order_id!r}.")
        if order["status"] != "locked" or order["contractor_id"] is None:
            return _refused(f"Order {order['number']} is {order['status']}.")
        self._journal = []
        changed_parts: list[Any] = []
        changed_plans: list[Any] = []
        cost = self.contractors[order["contractor_id"]]["hourly"] * labour_hours + self._material(order)
        if not 0 <= cost <= 90000000:
            return self._take_back(f"The cost of {order['number']} must be between 0.00 and 900,000.00.")
        self._put("work_orders", order, "cost", cost)
        self._put("work_orders", order, "status", "done")
        for l in sorted(self._part_lines_by_order.get(order_id, {}).values(), key=_age):
            part = self.parts[l["part_id"]]
            stock = self.parts[l["part_id"]]["stock"] - l["number"]
            if not 0 <= stock <= 900:
                return self._take_back(f"The stock of {part['name']} must be between 0 and 900.")
            changed_parts.append(part)
            self._put("parts", part, "stock", stock)
        for p in _those(self.plans, [order["plan_id"]]):
            changed_plans.append(p)
            self._put("plans", p, "last_at", self.assets[p["asset_id"]]["meter"])
        if self._breaks_rule_1(order):
            return self._take_back(RULES[0])
        for one_part in _distinct(
            [
                *[self.parts[one["part_id"]] for one in self._part_lines_by_order.get(order["id"], {}).values()],
                *changed_parts,
            ]
        ):
            if self._breaks_rule_3(one_part):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_w_again(order):
            return self._take_back(RULES[3])
        for one_contractor in _distinct([self.contractors.get(order["contractor_id"])]):
            if self._breaks_rule_5(one_contractor):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_w(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        for one_plan in _distinct(changed_plans):
            if self._breaks_rule_10(one_plan):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: finish order {order['number']} after {labour_hours} hours.",
            "data": self._changes(),
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an open order; its parts are free again.

        Args:
            order_id (str): Open work order that is cancelled; an id such as WO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.work_orders.get(order_id)
        if order is None:
            return _refused(f"There is no work order {order_id!r}.")
        if order["status"] != "open":
            return _refused(f"Order {order['number']} is {order['status']}.")
        self._journal = []
        deleted_part_lines: list[Any] = []
        for l in sorted(self._part_lines_by_order.get(order_id, {}).values(), key=_age):
            if l["id"] in self.part_lines:
                self._remove("part_lines", l)
            deleted_part_lines.append(l)
        self._put("work_orders", order, "status", "cancelled")
        if self._breaks_rule_1(order):
            return self._take_back(RULES[0])
        for one_part in _distinct(
            [
                *[self.parts[one["part_id"]] for one in deleted_part_lines],
                *[self.parts[one["part_id"]] for one in self._part_lines_by_order.get(order["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_part):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_w_again(order):
            return self._take_back(RULES[3])
        for one_contractor in _distinct([self.contractors.get(order["contractor_id"])]):
            if self._breaks_rule_5(one_contractor):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_w(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: cancel order {order['number']}.", "data": self._changes()}

    def stop_asset(self, asset_id: str) -> Result:
        """Stop a running asset and everything below it.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "running":
            return _refused(f"{asset['tag']} stands already.")
        self._journal = []
        changed_assets: list[Any] = []
        for a in list(_below(self._assets_by_within, asset)):
            if a["status"] == "running":
                changed_assets.append(a)
                self._put("assets", a, "status", "stopped")
        self._put("assets", asset, "status", "stopped")
        for one_work_order in _distinct(
            [
                *[user for one in changed_assets for user in self._work_orders_by_asset.get(one["id"], {}).values()],
                *[
                    user
                    for one in [user for one in changed_assets for user in _above(self.assets, one, "within_id")]
                    for user in self._work_orders_by_asset.get(one["id"], {}).values()
                ],
                *self._work_orders_by_asset.get(asset["id"], {}).values(),
                *[
                    user
                    for one in _above(self.assets, asset, "within_id")
                    for user in self._work_orders_by_asset.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_work_order):
                return self._take_back(RULES[0])
        for one_asset in _distinct(
            [
                asset,
                *changed_assets,
                *[user for one in changed_assets for user in self._assets_by_within.get(one["id"], {}).values()],
                *self._assets_by_within.get(asset["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_asset):
                return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: stop {asset['tag']}.", "data": self._changes()}

    def start_asset(self, asset_id: str) -> Result:
        """Start a standing asset; what it belongs to must run, and no lock may hold it.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "stopped":
            return _refused(f"{asset['tag']} runs.")
        lock = self._lock_over(asset)
        if lock is not None:
            return _refused(f"{asset['tag']} is locked out by order {lock['number']}.")
        if asset["within_id"] is not None and self.assets[asset["within_id"]]["status"] != "running":
            return _refused(f"{self.assets[asset['within_id']]['tag']} has to run first.")
        self._journal = []
        self._put("assets", asset, "status", "running")
        for one_work_order in _distinct(
            [
                *self._work_orders_by_asset.get(asset["id"], {}).values(),
                *[
                    user
                    for one in _above(self.assets, asset, "within_id")
                    for user in self._work_orders_by_asset.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_1(one_work_order):
                return self._take_back(RULES[0])
        for one_asset in _distinct([asset, *self._assets_by_within.get(asset["id"], {}).values()]):
            if self._breaks_rule_2(one_asset):
                return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: start {asset['tag']}.", "data": self._changes()}

    def _show_asset(self, asset: Asset) -> dict[str, Any]:
        """The asset as an answer shows it."""
        return {**asset, "parts_below": self._asset_parts_below(asset)}

    def _show_plan(self, plan: Plan) -> dict[str, Any]:
        """The plan as an answer shows it."""
        return {**plan, "due_in": self._plan_due_in(plan)}

    def _show_part(self, part: Part) -> dict[str, Any]:
        """The part as an answer shows it."""
        return {**part, "free": self._part_free(part)}

    def _show_contractor(self, contractor: Contractor) -> dict[str, Any]:
        """The contractor as an answer shows it."""
        return {**contractor, "busy": self._contractor_busy(contractor)}

    def _names_of_assets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that assets point to."""
        return _names((self.assets, "tag", [row["within_id"] for row in shown]))

    def _names_of_plans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plans point to."""
        return _names((self.assets, "tag", [row["asset_id"] for row in shown]))

    def _names_of_work_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that work orders point to."""
        return _names(
            (self.assets, "tag", [row["asset_id"] for row in shown]),
            (self.plans, "title", [row["plan_id"] for row in shown]),
            (self.contractors, "name", [row["contractor_id"] for row in shown]),
        )

    def _names_of_part_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that part lines point to."""
        return _names(
            (self.work_orders, "number", [row["order_id"] for row in shown]),
            (self.parts, "name", [row["part_id"] for row in shown]),
        )

    def _asset_parts_below(self, asset: Asset) -> int:
        """The parts below of an asset."""
        return len(_below(self._assets_by_within, asset))

    def _plan_due_in(self, plan: Plan) -> int:
        """The due in of a plan."""
        return plan["last_at"] + plan["every"] - self.assets[plan["asset_id"]]["meter"]

    def _part_free(self, part: Part) -> int:
        """The free of a part."""
        return (
            part["stock"]
            - sum(
                r["number"]
                for r in self._part_lines_by_part.get(part["id"], {}).values()
                if self.work_orders[r["order_id"]]["status"] in ("open", "locked")
            )
        )

    def _contractor_busy(self, contractor: Contractor) -> int:
        """The busy of a contractor."""
        return sum(
            1
            for w in self._work_orders_by_contractor.get(contractor["id"], {}).values()
            if w["status"] in ("open", "locked")
        )

    def _lock_over(self, a: Asset) -> WorkOrder | None:
        return next(
            (
                w
                for w in sorted(
                    _distinct(
                        [
                            w
                            for key in [a["id"], *[record["id"] for record in _above(self.assets, a, "within_id")]]
                            for w in self._work_orders_by_asset.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if w["status"] == "locked"
            ),
            None,
        )

    def _live(self, w: WorkOrder) -> bool:
        return w["status"] in ("open", "locked")

    def _material(self, w: WorkOrder) -> int:
        return sum(
            self.parts[l["part_id"]]["price"] * l["number"]
            for l in self._part_lines_by_order.get(w["id"], {}).values()
        )

    def _breaks_rule_1(self, w: WorkOrder) -> bool:
        """Whether this is broken: nothing runs at or below an asset that is locked out."""
        return not (
            w["status"] != "locked"
            or self.assets[w["asset_id"]]["status"] == "stopped"
            and all(b["status"] == "stopped" for b in _below(self._assets_by_within, self.assets[w["asset_id"]]))
        )

    def _breaks_rule_2(self, a: Asset) -> bool:
        """Whether this is broken: nothing runs while what it belongs to stands still."""
        return (
            a["status"] != "stopped"
            and a["within_id"] is not None
            and self.assets[a["within_id"]]["status"] != "running"
        )

    def _breaks_rule_3(self, p: Part) -> bool:
        """Whether this is broken: no more of a part is reserved than lies in the store."""
        return self._part_free(p) < 0

    def _breaks_rule_4_w(self, w: WorkOrder) -> bool:
        """Whether this is broken: a locked or finished order has a contractor of its skill."""
        return w["contractor_id"] is not None and self.contractors[w["contractor_id"]]["skill"] != w["skill"]

    def _breaks_rule_4_w_again(self, w: WorkOrder) -> bool:
        """Whether this is broken: a locked or finished order has a contractor of its skill."""
        return w["status"] in ("locked", "done") and w["contractor_id"] is None

    def _breaks_rule_5(self, c: Contractor) -> bool:
        """Whether this is broken: a contractor has at most three orders in hand."""
        return self._contractor_busy(c) > 3

    def _breaks_rule_6_w(self, w: WorkOrder) -> bool:
        """Whether this is broken: a plan has one order in hand at a time, for its own asset and skill."""
        return (
            w["plan_id"] is not None
            and self._live(w)
            and any(
                other_w is not w
                for other_w in self._work_orders_by_plan.get(w["plan_id"], {}).values()
                if other_w["plan_id"] is not None
                and self._live(other_w)
            )
        )

    def _breaks_rule_6_w_again(self, w: WorkOrder) -> bool:
        """Whether this is broken: a plan has one order in hand at a time, for its own asset and skill."""
        return not (
            w["plan_id"] is None
            or self.plans[w["plan_id"]]["asset_id"] == w["asset_id"]
            and self.plans[w["plan_id"]]["skill"] == w["skill"]
        )

    def _breaks_rule_7(self, w: WorkOrder) -> bool:
        """Whether this is broken: an asset is locked out by one order at a time."""
        return (
            w["status"] == "locked"
            and any(
                other_w is not w
                for other_w in self._work_orders_by_asset_status.get((w["asset_id"], "locked"), {}).values()
            )
        )

    def _breaks_rule_8(self, w: WorkOrder) -> bool:
        """Whether this is broken: finished orders have a cost, and no others."""
        return (w["status"] == "done") != (w["cost"] is not None)

    def _breaks_rule_9(self, l: PartLine) -> bool:
        """Whether this is broken: a part stands once on an order."""
        return any(
            other_l is not l
            for other_l in self._part_lines_by_order_part.get((l["order_id"], l["part_id"]), {}).values()
        )

    def _breaks_rule_10(self, p: Plan) -> bool:
        """Whether this is broken: no plan was done at a reading its asset has not reached."""
        return p["last_at"] > self.assets[p["asset_id"]]["meter"]

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
            case "assets":
                self._assets_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "plans":
                self._plans_by_asset.setdefault(record["asset_id"], {})[record["id"]] = record
            case "work_orders":
                self._work_orders_by_asset.setdefault(record["asset_id"], {})[record["id"]] = record
                self._work_orders_by_asset_status.setdefault(
                    (record["asset_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._work_orders_by_contractor.setdefault(record["contractor_id"], {})[record["id"]] = record
                self._work_orders_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._work_orders_by_plan.setdefault(record["plan_id"], {})[record["id"]] = record
            case "part_lines":
                self._part_lines_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._part_lines_by_order_part.setdefault(
                    (record["order_id"], record["part_id"]),
                    {},
                )[record["id"]] = record
                self._part_lines_by_part.setdefault(record["part_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "assets":
                del self._assets_by_within[record["within_id"]][record["id"]]
            case "plans":
                del self._plans_by_asset[record["asset_id"]][record["id"]]
            case "work_orders":
                del self._work_orders_by_asset[record["asset_id"]][record["id"]]
                del self._work_orders_by_asset_status[record["asset_id"], record["status"]][record["id"]]
                del self._work_orders_by_contractor[record["contractor_id"]][record["id"]]
                del self._work_orders_by_number[record["number"]][record["id"]]
                del self._work_orders_by_plan[record["plan_id"]][record["id"]]
            case "part_lines":
                del self._part_lines_by_order[record["order_id"]][record["id"]]
                del self._part_lines_by_order_part[record["order_id"], record["part_id"]][record["id"]]
                del self._part_lines_by_part[record["part_id"]][record["id"]]
