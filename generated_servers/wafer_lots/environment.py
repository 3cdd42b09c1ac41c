"""Wafer lots. Compiled from blueprint.yaml; run `envscaler build wafer_lots` after changing it there.

Moves lots of wafers along the routes of a chip factory, with limits on waiting, qualified tools, certified
operators, holds, rework, and lots that are split and merged.
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
    "A tool works on one lot at a time, and only lots that run have a tool.",
    "A lot runs on a tool of the kind that its step needs, and only while that is up.",
    "No tool handles more wafers than allowed between two qualifications.",
    "A lot and its splits never have more wafers than were started.",
    "A lot is never reworked more often than its product bears.",
    "A lot that is held has one hold without a verdict, and no other lot has any.",
    "A lot is merged into another one of the same origin.",
    "A lot in the line has wafers and a step, and a finished one has passed all steps.",
    "Moves are made by people who are trained for the tool.",
    "A running lot has one move that has not ended, and no other lot has any.",
    "A product has at most one rocket lot in the line.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_lot",
    "begin_step",
    "end_step",
    "fail_step",
    "hold_lot",
    "decide_hold",
    "split_lot",
    "merge_lots",
    "qualify_tool",
    "take_tool_down",
    "set_priority",
)
"""The methods that may change something; all others only read."""

LOT_STATUS_MOVES = {
    ("waiting", "running"),
    ("waiting", "held"),
    ("waiting", "merged"),
    ("running", "waiting"),
    ("running", "held"),
    ("running", "finished"),
    ("held", "waiting"),
    ("held", "scrapped"),
    ("held", "finished"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "products": ("name",),
    "route_steps": ("name",),
    "tools": ("code",),
    "workers": ("name",),
    "lots": ("code",),
    "lot_holds": (),
    "moves": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("lot_holds", "lot_id"),
    ("lots", "code"),
    ("lots", "parent_id"),
    ("lots", "priority"),
    ("lots", "product_id"),
    ("lots", "status"),
    ("lots", "tool_id"),
    ("moves", "lot_id"),
    ("route_steps", "product_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Product(TypedDict):
    id: str
    name: str
    most_reworks: int


class RouteStep(TypedDict):
    id: str
    product_id: str
    position: int
    name: str
    needs: Literal["litho", "etch", "implant", "furnace", "clean", "metrology"]
    longest_wait: int | None
    back_to: int | None


class Tool(TypedDict):
    id: str
    code: str
    kind: Literal["litho", "etch", "implant", "furnace", "clean", "metrology"]
    wafers_since: int
    wafers_allowed: int
    status: Literal["up", "down"]


class Worker(TypedDict):
    id: str
    name: str
    engineer: bool
    trained_for: list[Literal["litho", "etch", "implant", "furnace", "clean", "metrology"]]


class Lot(TypedDict):
    id: str
    code: str
    product_id: str
    parent_id: str | None
    started: int
    wafers: int
    position: int
    arrived_at: str
    reworks: int
    priority: Literal["normal", "hot", "rocket"]
    tool_id: str | None
    merged_into_id: str | None
    status: Literal["waiting", "running", "held", "merged", "finished", "scrapped"]


class LotHold(TypedDict):
    id: str
    lot_id: str
    placed_by_id: str
    reason: str
    placed_at: str
    failed: bool
    verdict: Literal["go_on", "rework", "scrap"] | None


class Move(TypedDict):
    id: str
    lot_id: str
    step_id: str
    tool_id: str
    by_id: str
    began_at: str
    ended_at: str | None
    lost: int


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


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


class WaferLots:
    """Moves lots of wafers along the routes of a chip factory, with limits on waiting, qualified tools,
    certified operators, holds, rework, and lots that are split and merged.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.route_steps: dict[str, RouteStep] = _copied(config.get("route_steps", {}))
        self.tools: dict[str, Tool] = _copied(config.get("tools", {}))
        self.workers: dict[str, Worker] = _copied(config.get("workers", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.lot_holds: dict[str, LotHold] = _copied(config.get("lot_holds", {}))
        self.moves: dict[str, Move] = _copied(config.get("moves", {}))
        self.now: str = config.get("now", "2026-09-24T15:00")
        self.counters: dict[str, int] = {
            "product": len(self.products),
            "route_step": len(self.route_steps),
            "tool": len(self.tools),
            "worker": len(self.workers),
            "lot": len(self.lots),
            "lot_hold": len(self.lot_holds),
            "move": len(self.moves),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._route_steps_by_product: dict[Any, dict[str, RouteStep]] = {}
        self._lots_by_code: dict[Any, dict[str, Lot]] = {}
        self._lots_by_parent: dict[Any, dict[str, Lot]] = {}
        self._lots_by_product_priority: dict[Any, dict[str, Lot]] = {}
        self._lots_by_tool: dict[Any, dict[str, Lot]] = {}
        self._lots_by_tool_status: dict[Any, dict[str, Lot]] = {}
        self._lot_holds_by_lot: dict[Any, dict[str, LotHold]] = {}
        self._moves_by_lot: dict[Any, dict[str, Move]] = {}
        for route_step in self.route_steps.values():
            self._link("route_steps", route_step)
        for lot in self.lots.values():
            self._link("lots", lot)
        for lot_hold in self.lot_holds.values():
            self._link("lot_holds", lot_hold)
        for move in self.moves.values():
            self._link("moves", move)

    def dispatch_list(
        self,
        kind: Literal["litho", "etch", "implant", "furnace", "clean", "metrology"],
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lots that wait for a kind of tool, rockets first, then hot ones, and among equals those that have waited
        longest.

        Args:
            kind (str): Kind of tool that the lots wait for: litho, etch, implant, furnace, clean or metrology.
            product_id (str, optional): Only lots of this product; an id such as PRODUCT-00001. If left out, the
                lots of all products are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        product = self.products.get(product_id) if product_id is not None else None
        if product_id is not None and product is None:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            l
            for l in self.lots.values()
            if (
                l["status"] == "waiting"
                and any(
                    s["needs"] == kind
                    for s in self._route_steps_by_product.get(l["product_id"], {}).values()
                    if s["position"] == l["position"]
                )
            )
            and (product_id is None or l["product_id"] == product_id)
        ]
        found.sort(
            key=lambda l: (
                0 if l["priority"] == "rocket" else 1 if l["priority"] == "hot" else 2,
                l["arrived_at"],
                l["code"],
                _age(l),
            )
        )
        return _found(
            {
                "total": len(found),
                "lots": [
                    {
                        "id": l["id"],
                        "code": l["code"],
                        "wafers": l["wafers"],
                        "priority": l["priority"],
                        "arrived_at": l["arrived_at"],
                        "waited_too_long": self._waited_too_long(l),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def tools_for(self, lot_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Tools that can take a waiting lot now, those with the fewest wafers since their qualification first.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tools": records}} or {"success": False, "error": why
                not}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [t for t in self.tools.values() if self._fit(t, lot)]
        found.sort(key=lambda t: (t["wafers_since"], t["code"], _age(t)))
        shown = [self._show_tool(t) for t in _page(found, offset)]
        return _found({"total": len(found), "tools": shown}, self._names_of_tools(shown))

    def family_of(self, lot_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """All lots of the same origin as a lot.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [l for l in self.lots.values() if self._origin(l) is self._origin(lot)]
        found.sort(key=lambda l: (l["code"], _age(l)))
        shown = [
            {
                "id": l["id"],
                "code": l["code"],
                "parent": l["parent_id"],
                "wafers": l["wafers"],
                "position": l["position"],
                "status": l["status"],
            }
            for l in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "lots": shown},
            _names((self.lots, "code", [row["parent"] for row in shown])),
        )

    def waiting_limits(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Waiting lots whose time to the next step is limited, with the moment at which it is over.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        found = [
            l
            for l in self.lots.values()
            if (
                l["status"] == "waiting"
                and any(
                    s["longest_wait"] is not None
                    for s in self._route_steps_by_product.get(l["product_id"], {}).values()
                    if s["position"] == l["position"]
                )
            )
        ]
        found.sort(key=lambda l: (l["arrived_at"], l["code"], _age(l)))
        shown = [
            {
                "id": l["id"],
                "code": l["code"],
                "step": _id_of(self._lot_step(l)),
                "arrived_at": l["arrived_at"],
                "waited_too_long": self._waited_too_long(l),
            }
            for l in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "lots": shown},
            _names((self.route_steps, "name", [row["step"] for row in shown])),
        )

    def list_products(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the products, oldest first, all of them or only some.

        Args:
            name (str, optional): Only products whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "products": records}}
        """
        found = [
            product
            for product in self.products.values()
            if (name is None or name.casefold() in product["name"].casefold())
        ]
        return _found({"total": len(found), "products": [{**product} for product in _page(found, offset)]})

    def list_route_steps(
        self,
        name: Text | None = None,
        product_id: str | None = None,
        needs: Literal["litho", "etch", "implant", "furnace", "clean", "metrology"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the route steps, oldest first, all of them or only some.

        Args:
            name (str, optional): Only route steps whose name contains this text.
            product_id (str, optional): Only route steps of this product.
            needs (str, optional): Only route steps whose `needs` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "route_steps": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            route_step
            for route_step in self.route_steps.values()
            if (name is None or name.casefold() in route_step["name"].casefold())
            and (product_id is None or route_step["product_id"] == product_id)
            and (needs is None or route_step["needs"] == needs)
        ]
        shown = [{**route_step} for route_step in _page(found, offset)]
        return _found({"total": len(found), "route_steps": shown}, self._names_of_route_steps(shown))

    def list_tools(
        self,
        code: Text | None = None,
        kind: Literal["litho", "etch", "implant", "furnace", "clean", "metrology"] | None = None,
        status: Literal["up", "down"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tools, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tools whose code contains this text.
            kind (str, optional): Only tools with this kind.
            status (str, optional): Only tools with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tools": records}}
        """
        found = [
            tool
            for tool in self.tools.values()
            if (code is None or code.casefold() in tool["code"].casefold())
            and (kind is None or tool["kind"] == kind)
            and (status is None or tool["status"] == status)
        ]
        shown = [self._show_tool(tool) for tool in _page(found, offset)]
        return _found({"total": len(found), "tools": shown}, self._names_of_tools(shown))

    def list_workers(
        self,
        name: Text | None = None,
        engineer: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the workers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only workers whose name contains this text.
            engineer (bool, optional): Only workers with this value of `engineer`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}}
        """
        found = [
            worker
            for worker in self.workers.values()
            if (name is None or name.casefold() in worker["name"].casefold())
            and (engineer is None or worker["engineer"] == engineer)
        ]
        return _found(
            {"total": len(found), "workers": [self._show_worker(worker) for worker in _page(found, offset)]}
        )

    def list_lots(
        self,
        code: Text | None = None,
        product_id: str | None = None,
        parent_id: str | None = None,
        priority: Literal["normal", "hot", "rocket"] | None = None,
        tool_id: str | None = None,
        merged_into_id: str | None = None,
        status: Literal["waiting", "running", "held", "merged", "finished", "scrapped"] | None = None,
        arrived_at_from: Date | None = None,
        arrived_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lots whose code contains this text.
            product_id (str, optional): Only lots of this product.
            parent_id (str, optional): Only lots whose parent is this lot.
            priority (str, optional): Only lots with this priority.
            tool_id (str, optional): Only lots of this tool.
            merged_into_id (str, optional): Only lots whose merged into is this lot.
            status (str, optional): Only lots with this status.
            arrived_at_from (str, optional): Only lots whose `arrived_at` is on this day or later.
            arrived_at_to (str, optional): Only lots whose `arrived_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        if parent_id is not None and parent_id not in self.lots:
            return _refused(f"There is no lot {parent_id!r}.")
        if tool_id is not None and tool_id not in self.tools:
            return _refused(f"There is no tool {tool_id!r}.")
        if merged_into_id is not None and merged_into_id not in self.lots:
            return _refused(f"There is no lot {merged_into_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (code is None or code.casefold() in lot["code"].casefold())
            and (product_id is None or lot["product_id"] == product_id)
            and (parent_id is None or lot["parent_id"] == parent_id)
            and (priority is None or lot["priority"] == priority)
            and (tool_id is None or lot["tool_id"] == tool_id)
            and (merged_into_id is None or lot["merged_into_id"] == merged_into_id)
            and (status is None or lot["status"] == status)
            and (arrived_at_from is None or lot["arrived_at"][:10] >= arrived_at_from)
            and (arrived_at_to is None or lot["arrived_at"][:10] <= arrived_at_to)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_lot_holds(
        self,
        lot_id: str | None = None,
        placed_by_id: str | None = None,
        failed: bool | None = None,
        verdict: Literal["go_on", "rework", "scrap"] | None = None,
        placed_at_from: Date | None = None,
        placed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lot holds, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only lot holds of this lot.
            placed_by_id (str, optional): Only lot holds placed by this worker.
            failed (bool, optional): Only lot holds that are failed (true) or not (false).
            verdict (str, optional): Only lot holds with this verdict.
            placed_at_from (str, optional): Only lot holds whose `placed_at` is on this day or later.
            placed_at_to (str, optional): Only lot holds whose `placed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lot_holds": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        if placed_by_id is not None and placed_by_id not in self.workers:
            return _refused(f"There is no worker {placed_by_id!r}.")
        found = [
            lot_hold
            for lot_hold in self.lot_holds.values()
            if (lot_id is None or lot_hold["lot_id"] == lot_id)
            and (placed_by_id is None or lot_hold["placed_by_id"] == placed_by_id)
            and (failed is None or lot_hold["failed"] == failed)
            and (verdict is None or lot_hold["verdict"] == verdict)
            and (placed_at_from is None or lot_hold["placed_at"][:10] >= placed_at_from)
            and (placed_at_to is None or lot_hold["placed_at"][:10] <= placed_at_to)
        ]
        shown = [{**lot_hold} for lot_hold in _page(found, offset)]
        return _found({"total": len(found), "lot_holds": shown}, self._names_of_lot_holds(shown))

    def list_moves(
        self,
        lot_id: str | None = None,
        step_id: str | None = None,
        tool_id: str | None = None,
        by_id: str | None = None,
        began_at_from: Date | None = None,
        began_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the moves, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only moves of this lot.
            step_id (str, optional): Only moves whose step is this route step.
            tool_id (str, optional): Only moves of this tool.
            by_id (str, optional): Only moves by this worker.
            began_at_from (str, optional): Only moves whose `began_at` is on this day or later.
            began_at_to (str, optional): Only moves whose `began_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "moves": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        if step_id is not None and step_id not in self.route_steps:
            return _refused(f"There is no route step {step_id!r}.")
        if tool_id is not None and tool_id not in self.tools:
            return _refused(f"There is no tool {tool_id!r}.")
        if by_id is not None and by_id not in self.workers:
            return _refused(f"There is no worker {by_id!r}.")
        found = [
            move
            for move in self.moves.values()
            if (lot_id is None or move["lot_id"] == lot_id)
            and (step_id is None or move["step_id"] == step_id)
            and (tool_id is None or move["tool_id"] == tool_id)
            and (by_id is None or move["by_id"] == by_id)
            and (began_at_from is None or move["began_at"][:10] >= began_at_from)
            and (began_at_to is None or move["began_at"][:10] <= began_at_to)
        ]
        shown = [{**move} for move in _page(found, offset)]
        return _found({"total": len(found), "moves": shown}, self._names_of_moves(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_lot(self, code: Text, product_id: str, wafers: Annotated[int, {"minimum": 1, "maximum": 25}]) -> Result:
        """Start a new lot at the first step of its route.

        Args:
            code (str): Code of the new lot, not in use yet.
            product_id (str): Id of the product, such as PRODUCT-00001.
            wafers (int): Wafers with which the lot starts, from 1 to 25.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if self._lots_by_code.get(code, {}):
            return _refused(f"There is a lot {code}.")
        if not any(each["position"] == 1 for each in self._route_steps_by_product.get(product_id, {}).values()):
            return _refused(f"{product['name']} has no route.")
        self._journal = []
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "code": code,
            "product_id": product_id,
            "parent_id": None,
            "started": wafers,
            "wafers": wafers,
            "position": 1,
            "arrived_at": self.now,
            "reworks": 0,
            "priority": "normal",
            "tool_id": None,
            "merged_into_id": None,
            "status": "waiting",
        }
        self._add("lots", lot)
        if len(self._lots_by_code.get(lot["code"], {})) > 1:
            return self._take_back(f"There is already a lot with the code {lot['code']!r}.")
        if self._breaks_rule_1_l(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        for one_lot in _distinct([lot, *_above(self.lots, lot, "parent_id")]):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(lot):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_l_again(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: start lot {code} of {product['name']} with {wafers} wafers (new: lot {lot['id']}).",
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def begin_step(self, lot_id: str, tool_id: str, by_id: str) -> Result:
        """Begin the next step of a waiting lot on a free tool of the right kind.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            tool_id (str): Id of the tool, such as TOOL-00001.
            by_id (str): Worker who begins it, trained for that kind of tool; an id such as WORKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        by = self.workers.get(by_id)
        if by is None:
            return _refused(f"There is no worker {by_id!r}.")
        if lot["status"] != "waiting":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        step = self._step_of(lot)
        if step is None:
            return _refused(f"Lot {lot['code']} has no step left.")
        if tool["kind"] != step["needs"]:
            return _refused(f"{step['name']} needs a {step['needs']} tool, and {tool['code']} is for {tool['kind']}.")
        if tool["status"] != "up":
            return _refused(f"{tool['code']} is down, so qualify it first.")
        if self._tool_runs(tool) is not None:
            return _refused(f"{tool['code']} runs lot {self._tool_runs(tool)['code']}.")
        if tool["wafers_since"] + lot["wafers"] > tool["wafers_allowed"]:
            return _refused(
                f"{tool['code']} has done {tool['wafers_since']} of {tool['wafers_allowed']} wafers, so qualify "
                "it first."
            )
        if tool["kind"] not in by["trained_for"]:
            return _refused(f"{by['name']} is not trained for {tool['kind']}.")
        if self._waited_too_long(lot):
            return _refused(
                f"Lot {lot['code']} has waited too long for {step['name']} since {lot['arrived_at']}, so hold it "
                "and have it reworked."
            )
        self._journal = []
        self._put("lots", lot, "tool_id", tool_id)
        self._put("lots", lot, "status", "running")
        wafers_since = tool["wafers_since"] + lot["wafers"]
        if not 0 <= wafers_since <= 3000:
            return self._take_back(f"The wafers since of {tool['code']} must be between 0 and 3000.")
        self._put("tools", tool, "wafers_since", wafers_since)
        move: Move = {
            "id": self._new_id("move", "MOVE", self.moves),
            "lot_id": lot_id,
            "step_id": step["id"],
            "tool_id": tool_id,
            "by_id": by_id,
            "began_at": self.now,
            "ended_at": None,
            "lost": 0,
        }
        self._add("moves", move)
        if self._breaks_rule_1_l(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(tool):
            return self._take_back(RULES[2])
        for one_lot in _distinct([lot, *_above(self.lots, lot, "parent_id")]):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        for one_lot_hold in _distinct(self._lot_holds_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_6_h_again(one_lot_hold):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(move):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_m(move):
            return self._take_back(RULES[9])
        for one_move in _distinct([move, *self._moves_by_lot.get(lot["id"], {}).values()]):
            if self._breaks_rule_10_m_again(one_move):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: begin the next step of lot {lot['code']} on {tool['code']} with {by['name']} (new: move "
                f"{move['id']})."
            ),
            "data": {"move_id": move["id"], **self._changes()},
        }

    def end_step(self, lot_id: str, lost: Annotated[int, {"minimum": 0, "maximum": 24}] = 0) -> Result:
        """End the running step of a lot that passed; some wafers may be lost, and after its last step the lot is
        finished.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            lost (int): Wafers lost in the step, fewer than the lot has, from 0 to 24. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "running":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        if lost >= lot["wafers"]:
            return _refused(
                f"Lot {lot['code']} has {lot['wafers']} wafers, so let the step fail and scrap the lot if none is "
                "left."
            )
        move = next(
            (m for m in sorted(self._moves_by_lot.get(lot_id, {}).values(), key=_age) if m["ended_at"] is None),
            None,
        )
        if move is None:
            return _refused(f"Lot {lot['code']} has no move under way.")
        self._journal = []
        self._put("moves", move, "ended_at", self.now)
        self._put("moves", move, "lost", lost)
        wafers = lot["wafers"] - lost
        if not 0 <= wafers <= 25:
            return self._take_back(f"The wafers of {lot['code']} must be between 0 and 25.")
        self._put("lots", lot, "wafers", wafers)
        self._put("lots", lot, "tool_id", None)
        self._put("lots", lot, "arrived_at", self.now)
        position = lot["position"] + 1
        if not 1 <= position <= 31:
            return self._take_back(f"The position of {lot['code']} must be between 1 and 31.")
        self._put("lots", lot, "position", position)
        status = "finished" if self._step_of(lot) is None else "waiting"
        self._put("lots", lot, "status", status)
        if self._breaks_rule_1_l(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        for one_lot in _distinct([lot, *_above(self.lots, lot, "parent_id")]):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        for one_lot_hold in _distinct(self._lot_holds_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_6_h_again(one_lot_hold):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_m(move):
            return self._take_back(RULES[9])
        for one_move in _distinct([move, *self._moves_by_lot.get(lot["id"], {}).values()]):
            if self._breaks_rule_10_m_again(one_move):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: end the step of lot {lot['code']} with {lost} wafers lost.",
            "data": self._changes(),
        }

    def fail_step(self, lot_id: str, reason: Text) -> Result:
        """End the running step of a lot that did not pass; it is held at that step.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            reason (str): Why the step did not pass.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "running":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        move = next(
            (m for m in sorted(self._moves_by_lot.get(lot_id, {}).values(), key=_age) if m["ended_at"] is None),
            None,
        )
        if move is None:
            return _refused(f"Lot {lot['code']} has no move under way.")
        self._journal = []
        self._put("moves", move, "ended_at", self.now)
        self._put("lots", lot, "tool_id", None)
        lot_hold: LotHold = {
            "id": self._new_id("lot_hold", "LH", self.lot_holds),
            "lot_id": lot_id,
            "placed_by_id": move["by_id"],
            "reason": reason,
            "placed_at": self.now,
            "failed": True,
            "verdict": None,
        }
        self._add("lot_holds", lot_hold)
        self._put("lots", lot, "status", "held")
        if self._breaks_rule_1_l(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        for one_lot in _distinct([lot, *_above(self.lots, lot, "parent_id")]):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        if self._breaks_rule_6_h(lot_hold):
            return self._take_back(RULES[5])
        for one_lot_hold in _distinct([lot_hold, *self._lot_holds_by_lot.get(lot["id"], {}).values()]):
            if self._breaks_rule_6_h_again(one_lot_hold):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_m(move):
            return self._take_back(RULES[9])
        for one_move in _distinct([move, *self._moves_by_lot.get(lot["id"], {}).values()]):
            if self._breaks_rule_10_m_again(one_move):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: let the step of lot {lot['code']} fail for {reason} (new: lot hold {lot_hold['id']}).",
            "data": {"lot_hold_id": lot_hold["id"], **self._changes()},
        }

    def hold_lot(self, lot_id: str, by_id: str, reason: Text) -> Result:
        """Hold a waiting lot.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            by_id (str): Worker who holds the lot; an id such as WORKER-00001.
            reason (str): Why the lot is held.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        by = self.workers.get(by_id)
        if by is None:
            return _refused(f"There is no worker {by_id!r}.")
        if lot["status"] != "waiting":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        self._journal = []
        lot_hold: LotHold = {
            "id": self._new_id("lot_hold", "LH", self.lot_holds),
            "lot_id": lot_id,
            "placed_by_id": by_id,
            "reason": reason,
            "placed_at": self.now,
            "failed": False,
            "verdict": None,
        }
        self._add("lot_holds", lot_hold)
        self._put("lots", lot, "status", "held")
        if self._breaks_rule_1_l(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lot):
            return self._take_back(RULES[0])
        for one_lot in _distinct([lot, *_above(self.lots, lot, "parent_id")]):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        if self._breaks_rule_6_h(lot_hold):
            return self._take_back(RULES[5])
        for one_lot_hold in _distinct([lot_hold, *self._lot_holds_by_lot.get(lot["id"], {}).values()]):
            if self._breaks_rule_6_h_again(one_lot_hold):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lot):
            return self._take_back(RULES[7])
        for one_move in _distinct(self._moves_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_10_m_again(one_move):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: hold lot {lot['code']} as {by['name']} for {reason} (new: lot hold {lot_hold['id']}).",
            "data": {"lot_hold_id": lot_hold["id"], **self._changes()},
        }

    def decide_hold(self, lot_id: str, by_id: str, verdict: Literal["go_on", "rework", "scrap"]) -> Result:
        """Let an engineer decide about a held lot, that is, whether it goes on (after a failed step as it is, to the
        following one), is reworked from the step its route says, or scrapped.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            by_id (str): Engineer who decides; an id such as WORKER-00001.
            verdict (str): What happens to the held lot: go_on, rework or scrap.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        by = self.workers.get(by_id)
        if by is None:
            return _refused(f"There is no worker {by_id!r}.")
        if lot["status"] != "held":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        if not by["engineer"]:
            return _refused(f"{by['name']} is no engineer.")
        hold = self._open_hold(lot)
        if hold is None:
            return _refused(f"Lot {lot['code']} has no open hold.")
        step = self._step_of(lot)
        if not (verdict != "rework" or step is not None and step["back_to"] is not None):
            return _refused(f"Lot {lot['code']} cannot be reworked at this step.")
        if verdict == "rework" and lot["reworks"] >= self.products[lot["product_id"]]["most_reworks"]:
            return _refused(
                f"Lot {lot['code']} was reworked {lot['reworks']} times and "
                f"{self.products[lot['product_id']]['name']} bears no more."
            )
        if verdict == "go_on" and not hold["failed"] and self._waited_too_long(lot):
            return _refused(
                f"Lot {lot['code']} has waited too long since {lot['arrived_at']}, so it can only be reworked or "
                "scrapped."
            )
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        changed_lots_3: list[Any] = []
        self._put("lot_holds", hold, "verdict", verdict)
        if verdict == "scrap":
            changed_lots.append(lot)
            self._put("lots", lot, "status", "scrapped")
        else:
            if verdict == "rework" and step is not None:
                position = step["back_to"] if step["back_to"] is not None else lot["position"]
                if not 1 <= position <= 31:
                    return self._take_back(f"The position of {lot['code']} must be between 1 and 31.")
                changed_lots_2.append(lot)
                self._put("lots", lot, "position", position)
                reworks = lot["reworks"] + 1
                if not 0 <= reworks <= 4:
                    return self._take_back(f"The reworks of {lot['code']} must be between 0 and 4.")
                changed_lots_3.append(lot)
                self._put("lots", lot, "reworks", reworks)
                self._put("lots", lot, "arrived_at", self.now)
            if verdict == "go_on" and hold["failed"]:
                new_position = lot["position"] + 1
                if not 1 <= new_position <= 31:
                    return self._take_back(f"The position of {lot['code']} must be between 1 and 31.")
                changed_lots_2.append(lot)
                self._put("lots", lot, "position", new_position)
                self._put("lots", lot, "arrived_at", self.now)
            status = "finished" if self._step_of(lot) is None else "waiting"
            if lot["status"] != status and (lot["status"], status) not in LOT_STATUS_MOVES:
                return self._take_back(f"Lot {lot['code']} cannot go from {lot['status']} to {status}.")
            changed_lots.append(lot)
            self._put("lots", lot, "status", status)
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_1_l(one_lot):
                return self._take_back(RULES[0])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_1_l_again(one_lot):
                return self._take_back(RULES[0])
        for one_lot in _distinct(changed_lots_2):
            if self._breaks_rule_2(one_lot):
                return self._take_back(RULES[1])
        for one_lot in _distinct(
            [*changed_lots, *[user for one in changed_lots for user in _above(self.lots, one, "parent_id")]]
        ):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        for one_lot in _distinct(changed_lots_3):
            if self._breaks_rule_5(one_lot):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_h(hold):
            return self._take_back(RULES[5])
        for one_lot_hold in _distinct(
            [hold, *[user for one in changed_lots for user in self._lot_holds_by_lot.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_6_h_again(one_lot_hold):
                return self._take_back(RULES[5])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_7_l(one_lot):
                return self._take_back(RULES[6])
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_8_l(one_lot):
                return self._take_back(RULES[7])
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_8_l_again(one_lot):
                return self._take_back(RULES[7])
        for one_move in _distinct(
            [user for one in changed_lots for user in self._moves_by_lot.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10_m_again(one_move):
                return self._take_back(RULES[9])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: decide {verdict} for lot {lot['code']} as {by['name']}.",
            "data": self._changes(),
        }

    def split_lot(self, lot_id: str, code: Text, wafers: Annotated[int, {"minimum": 1, "maximum": 24}]) -> Result:
        """Split some wafers off a waiting lot into a lot of their own.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            code (str): Code of the new lot, not in use yet.
            wafers (int): Wafers that go to the new lot, fewer than all, from 1 to 24.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "waiting":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        if wafers >= lot["wafers"]:
            return _refused(f"Lot {lot['code']} has {lot['wafers']} wafers, and at least one must stay.")
        if self._lots_by_code.get(code, {}):
            return _refused(f"There is a lot {code}.")
        done = f"split {wafers} wafers off lot {lot['code']} as {code}"
        self._journal = []
        new_wafers = lot["wafers"] - wafers
        if not 0 <= new_wafers <= 25:
            return self._take_back(f"The wafers of {lot['code']} must be between 0 and 25.")
        self._put("lots", lot, "wafers", new_wafers)
        new_lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "code": code,
            "product_id": lot["product_id"],
            "parent_id": lot_id,
            "started": wafers,
            "wafers": wafers,
            "position": lot["position"],
            "arrived_at": lot["arrived_at"],
            "reworks": lot["reworks"],
            "priority": "normal",
            "tool_id": None,
            "merged_into_id": None,
            "status": "waiting",
        }
        self._add("lots", new_lot)
        if len(self._lots_by_code.get(new_lot["code"], {})) > 1:
            return self._take_back(f"There is already a lot with the code {new_lot['code']!r}.")
        if self._breaks_rule_1_l(new_lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(new_lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(new_lot):
            return self._take_back(RULES[1])
        for one_lot in _distinct(
            [lot, new_lot, *_above(self.lots, lot, "parent_id"), *_above(self.lots, new_lot, "parent_id")]
        ):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(new_lot):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_l(new_lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_l_again(new_lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l(new_lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(new_lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(new_lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: lot {new_lot['id']}).",
            "data": {"lot_id": new_lot["id"], **self._changes()},
        }

    def merge_lots(self, lot_id: str, into_id: str) -> Result:
        """Merge a waiting lot into another one of the same origin that waits at the same step.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            into_id (str): Waiting lot that takes up the wafers of the other; an id such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        into = self.lots.get(into_id)
        if into is None:
            return _refused(f"There is no lot {into_id!r}.")
        if lot is into:
            return _refused("A lot cannot be merged into itself.")
        if lot["status"] != "waiting" or into["status"] != "waiting":
            return _refused(
                f"Lot {lot['code']} is {lot['status']} and lot {into['code']} is {into['status']}, and both must "
                "be waiting."
            )
        if self._origin(lot) is not self._origin(into):
            return _refused(f"Lots {lot['code']} and {into['code']} were not split from one lot.")
        if lot["position"] != into["position"]:
            return _refused(
                f"Lot {lot['code']} is at position {lot['position']} and lot {into['code']} at {into['position']}."
            )
        if lot["wafers"] + into["wafers"] > 25:
            return _refused("A lot has 25 wafers at most.")
        self._journal = []
        wafers = into["wafers"] + lot["wafers"]
        if not 0 <= wafers <= 25:
            return self._take_back(f"The wafers of {into['code']} must be between 0 and 25.")
        self._put("lots", into, "wafers", wafers)
        self._put("lots", into, "arrived_at", min(lot["arrived_at"], into["arrived_at"]))
        reworks = max(lot["reworks"], into["reworks"])
        if not 0 <= reworks <= 4:
            return self._take_back(f"The reworks of {into['code']} must be between 0 and 4.")
        self._put("lots", into, "reworks", reworks)
        self._put("lots", lot, "wafers", 0)
        self._put("lots", lot, "merged_into_id", into_id)
        self._put("lots", lot, "status", "merged")
        if self._breaks_rule_1_l(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_l_again(lot):
            return self._take_back(RULES[0])
        for one_lot in _distinct(
            [into, lot, *_above(self.lots, into, "parent_id"), *_above(self.lots, lot, "parent_id")]
        ):
            if self._breaks_rule_4(one_lot):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(into):
            return self._take_back(RULES[4])
        for one_lot_hold in _distinct(self._lot_holds_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_6_h_again(one_lot_hold):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_l_again(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_l(into):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l(lot):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lot):
            return self._take_back(RULES[7])
        for one_move in _distinct(self._moves_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_10_m_again(one_move):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: merge lot {lot['code']} into {into['code']}.",
            "data": self._changes(),
        }

    def qualify_tool(self, tool_id: str, by_id: str) -> Result:
        """Qualify a tool that is idle or down; it is up and counts its wafers from zero.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            by_id (str): Worker who qualifies it, trained for that kind of tool; an id such as WORKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        by = self.workers.get(by_id)
        if by is None:
            return _refused(f"There is no worker {by_id!r}.")
        if self._tool_runs(tool) is not None:
            return _refused(f"{tool['code']} runs lot {self._tool_runs(tool)['code']}.")
        if tool["kind"] not in by["trained_for"]:
            return _refused(f"{by['name']} is not trained for {tool['kind']}.")
        if tool["wafers_since"] <= 0 and tool["status"] != "down":
            return _refused(f"{tool['code']} was just qualified.")
        self._journal = []
        changed_tools: list[Any] = []
        self._put("tools", tool, "wafers_since", 0)
        if tool["status"] == "down":
            changed_tools.append(tool)
            self._put("tools", tool, "status", "up")
        for one_lot in _distinct(
            [user for one in changed_tools for user in self._lots_by_tool.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_lot):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(tool):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: qualify {tool['code']} by {by['name']}.", "data": self._changes()}

    def take_tool_down(self, tool_id: str) -> Result:
        """Take an idle tool down.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        if tool["status"] != "up":
            return _refused(f"{tool['code']} is down already.")
        if self._tool_runs(tool) is not None:
            return _refused(f"{tool['code']} runs lot {self._tool_runs(tool)['code']}, so end that step first.")
        self._journal = []
        self._put("tools", tool, "status", "down")
        for one_lot in _distinct(self._lots_by_tool.get(tool["id"], {}).values()):
            if self._breaks_rule_2(one_lot):
                return self._take_back(RULES[1])
        return {"success": True, "message": f"Done: take {tool['code']} down.", "data": self._changes()}

    def set_priority(self, lot_id: str, priority: Literal["normal", "hot", "rocket"]) -> Result:
        """Give a lot another priority; a product has one rocket lot at most.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            priority (str): New priority of the lot, rocket being the highest: normal, hot or rocket.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if not self._live(lot):
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        if lot["priority"] == priority:
            return _refused(f"Lot {lot['code']} is {priority} already.")
        rocket = next(
            (
                l
                for l in sorted(
                    self._lots_by_product_priority.get((lot["product_id"], "rocket"), {}).values(),
                    key=_age,
                )
                if self._live(l)
            ),
            None,
        )
        if priority == "rocket" and rocket is not None:
            return _refused(f"Lot {rocket['code']} is the rocket of {self.products[lot['product_id']]['name']}.")
        self._journal = []
        self._put("lots", lot, "priority", priority)
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: set lot {lot['code']} to {priority}.", "data": self._changes()}

    def _show_tool(self, tool: Tool) -> dict[str, Any]:
        """The tool as an answer shows it."""
        return {**tool, "runs_id": _id_of(self._tool_runs(tool))}

    def _show_worker(self, worker: Worker) -> dict[str, Any]:
        """The worker as an answer shows it."""
        return {**worker, "trained_for": [*worker["trained_for"]]}

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "step_id": _id_of(self._lot_step(lot))}

    def _names_of_route_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that route steps point to."""
        return _names((self.products, "name", [row["product_id"] for row in shown]))

    def _names_of_tools(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tools point to."""
        return _names((self.lots, "code", [row["runs_id"] for row in shown]))

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names(
            (self.products, "name", [row["product_id"] for row in shown]),
            (self.lots, "code", [row["parent_id"] for row in shown]),
            (self.tools, "code", [row["tool_id"] for row in shown]),
            (self.lots, "code", [row["merged_into_id"] for row in shown]),
            (self.route_steps, "name", [row["step_id"] for row in shown]),
        )

    def _names_of_lot_holds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lot holds point to."""
        return _names(
            (self.lots, "code", [row["lot_id"] for row in shown]),
            (self.workers, "name", [row["placed_by_id"] for row in shown]),
        )

    def _names_of_moves(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that moves point to."""
        return _names(
            (self.lots, "code", [row["lot_id"] for row in shown]),
            (self.route_steps, "name", [row["step_id"] for row in shown]),
            (self.tools, "code", [row["tool_id"] for row in shown]),
            (self.workers, "name", [row["by_id"] for row in shown]),
        )

    def _tool_runs(self, tool: Tool) -> Lot | None:
        """The runs of a tool."""
        return next(
            (l for l in sorted(self._lots_by_tool_status.get((tool["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _lot_step(self, lot: Lot) -> RouteStep | None:
        """The step of a lot."""
        return next(
            (
                s
                for s in sorted(self._route_steps_by_product.get(lot["product_id"], {}).values(), key=_age)
                if s["position"] == lot["position"]
            ),
            None,
        )

    def _step_of(self, l: Lot) -> RouteStep | None:
        return next(
            (
                s
                for s in sorted(self._route_steps_by_product.get(l["product_id"], {}).values(), key=_age)
                if s["position"] == l["position"]
            ),
            None,
        )

    def _waited_too_long(self, l: Lot) -> bool:
        return any(
            s["longest_wait"] is not None
            and _plus_minutes(l["arrived_at"], s["longest_wait"] * 60) < self.now
            for s in self._route_steps_by_product.get(l["product_id"], {}).values()
            if s["position"] == l["position"]
        )

    def _live(self, l: Lot) -> bool:
        return l["status"] in ("waiting", "running", "held")

    def _origin(self, l: Lot) -> Lot | None:
        return next((a for a in [l] + _above(self.lots, l, "parent_id") if a["parent_id"] is None), None)

    def _open_hold(self, l: Lot) -> LotHold | None:
        return next(
            (h for h in sorted(self._lot_holds_by_lot.get(l["id"], {}).values(), key=_age) if h["verdict"] is None),
            None,
        )

    def _fit(self, t: Tool, l: Lot) -> bool:
        return (
            t["status"] == "up"
            and self._tool_runs(t) is None
            and any(
                s["needs"] == t["kind"]
                for s in self._route_steps_by_product.get(l["product_id"], {}).values()
                if s["position"] == l["position"]
            )
            and t["wafers_since"] + l["wafers"] <= t["wafers_allowed"]
        )

    def _breaks_rule_1_l(self, l: Lot) -> bool:
        """Whether this is broken: a tool works on one lot at a time, and only lots that run have a tool."""
        return (
            l["status"] == "running"
            and any(
                other_l is not l
                for other_l in self._lots_by_tool_status.get((l["tool_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_1_l_again(self, l: Lot) -> bool:
        """Whether this is broken: a tool works on one lot at a time, and only lots that run have a tool."""
        return (l["status"] == "running") != (l["tool_id"] is not None)

    def _breaks_rule_2(self, l: Lot) -> bool:
        """Whether this is broken: a lot runs on a tool of the kind that its step needs, and only while that is up.
        """
        return (
            l["tool_id"] is not None
            and not (
                self.tools[l["tool_id"]]["status"] == "up"
                and any(
                    s["needs"] == self.tools[l["tool_id"]]["kind"]
                    for s in self._route_steps_by_product.get(l["product_id"], {}).values()
                    if s["position"] == l["position"]
                )
            )
        )

    def _breaks_rule_3(self, t: Tool) -> bool:
        """Whether this is broken: no tool handles more wafers than allowed between two qualifications."""
        return t["wafers_since"] > t["wafers_allowed"]

    def _breaks_rule_4(self, r: Lot) -> bool:
        """Whether this is broken: a lot and its splits never have more wafers than were started."""
        return (
            r["parent_id"] is None
            and sum(
                x["wafers"]
                for x in [r] + _below(self._lots_by_parent, r)
                if (self._live(x) or x["status"] == "finished")
            ) > r["started"]
        )

    def _breaks_rule_5(self, l: Lot) -> bool:
        """Whether this is broken: a lot is never reworked more often than its product bears."""
        return l["reworks"] > self.products[l["product_id"]]["most_reworks"]

    def _breaks_rule_6_h(self, h: LotHold) -> bool:
        """Whether this is broken: a lot that is held has one hold without a verdict, and no other lot has any."""
        return (
            h["verdict"] is None
            and any(
                other_h is not h
                for other_h in self._lot_holds_by_lot.get(h["lot_id"], {}).values()
                if other_h["verdict"] is None
            )
        )

    def _breaks_rule_6_h_again(self, h: LotHold) -> bool:
        """Whether this is broken: a lot that is held has one hold without a verdict, and no other lot has any."""
        return h["verdict"] is None and self.lots[h["lot_id"]]["status"] != "held"

    def _breaks_rule_7_l(self, l: Lot) -> bool:
        """Whether this is broken: a lot is merged into another one of the same origin."""
        return (l["status"] == "merged") != (l["merged_into_id"] is not None)

    def _breaks_rule_7_l_again(self, l: Lot) -> bool:
        """Whether this is broken: a lot is merged into another one of the same origin."""
        return (
            l["merged_into_id"] is not None
            and (
                self._origin(l) is not self._origin(self.lots[l["merged_into_id"]])
                or l["id"] == l["merged_into_id"]
            )
        )

    def _breaks_rule_8_l(self, l: Lot) -> bool:
        """Whether this is broken: a lot in the line has wafers and a step, and a finished one has passed all steps.
        """
        return self._live(l) and (l["wafers"] < 1 or self._lot_step(l) is None)

    def _breaks_rule_8_l_again(self, l: Lot) -> bool:
        """Whether this is broken: a lot in the line has wafers and a step, and a finished one has passed all steps.
        """
        return (
            l["status"] == "finished"
            and any(
                l["position"] <= s["position"]
                for s in self._route_steps_by_product.get(l["product_id"], {}).values()
            )
        )

    def _breaks_rule_9(self, m: Move) -> bool:
        """Whether this is broken: moves are made by people who are trained for the tool."""
        return self.tools[m["tool_id"]]["kind"] not in self.workers[m["by_id"]]["trained_for"]

    def _breaks_rule_10_m(self, m: Move) -> bool:
        """Whether this is broken: a running lot has one move that has not ended, and no other lot has any."""
        return (
            m["ended_at"] is None
            and any(
                other_m is not m
                for other_m in self._moves_by_lot.get(m["lot_id"], {}).values()
                if other_m["ended_at"] is None
            )
        )

    def _breaks_rule_10_m_again(self, m: Move) -> bool:
        """Whether this is broken: a running lot has one move that has not ended, and no other lot has any."""
        return m["ended_at"] is None and self.lots[m["lot_id"]]["status"] != "running"

    def _breaks_rule_11(self, l: Lot) -> bool:
        """Whether this is broken: a product has at most one rocket lot in the line."""
        return (
            l["priority"] == "rocket"
            and self._live(l)
            and any(
                other_l is not l
                for other_l in self._lots_by_product_priority.get((l["product_id"], "rocket"), {}).values()
                if self._live(other_l)
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
            case "route_steps":
                self._route_steps_by_product.setdefault(record["product_id"], {})[record["id"]] = record
            case "lots":
                self._lots_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._lots_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
                self._lots_by_product_priority.setdefault(
                    (record["product_id"], record["priority"]),
                    {},
                )[record["id"]] = record
                self._lots_by_tool.setdefault(record["tool_id"], {})[record["id"]] = record
                self._lots_by_tool_status.setdefault((record["tool_id"], record["status"]), {})[record["id"]] = record
            case "lot_holds":
                self._lot_holds_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
            case "moves":
                self._moves_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "route_steps":
                del self._route_steps_by_product[record["product_id"]][record["id"]]
            case "lots":
                del self._lots_by_code[record["code"]][record["id"]]
                del self._lots_by_parent[record["parent_id"]][record["id"]]
                del self._lots_by_product_priority[record["product_id"], record["priority"]][record["id"]]
                del self._lots_by_tool[record["tool_id"]][record["id"]]
                del self._lots_by_tool_status[record["tool_id"], record["status"]][record["id"]]
            case "lot_holds":
                del self._lot_holds_by_lot[record["lot_id"]][record["id"]]
            case "moves":
                del self._moves_by_lot[record["lot_id"]][record["id"]]
