"""Production orders. Compiled from blueprint.yaml; run `envscaler build production_orders` after changing it there.

Takes the work orders of a machine shop through the steps of their routings, with set-ups, machines that can do
a step, lot sizes, scrap, holds and orders that are split.
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
    "A machine runs one order at a time, and an order runs on one machine at a time.",
    "A step is done on a machine that can do it.",
    "A machine that runs is set up for exactly the step it runs.",
    "An order follows the routing of its own product and does no step twice.",
    "The steps of an order are done one after the other.",
    "The pieces left and the pieces scrapped make the quantity of an order.",
    "An order is finished when it is through the last step with pieces left, and only then.",
    "A lot never exceeds what the machine takes.",
    "Only released orders run.",
    "Only an order that is held, or was cancelled then, says what it is held for.",
    "A machine that is down says why and runs nothing.",
    "Who is split off makes the same product as the order it comes from, and no order comes from itself.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_order",
    "release_order",
    "set_up_machine",
    "start_run",
    "finish_run",
    "abort_run",
    "split_order",
    "hold_order",
    "lift_hold",
    "cancel_order",
    "stop_machine",
    "return_machine",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "products": ("name",),
    "steps": ("code",),
    "machines": ("name",),
    "orders": ("number",),
    "runs": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("orders", "number"),
    ("orders", "split_from_id"),
    ("runs", "machine_id"),
    ("runs", "order_id"),
    ("runs", "status"),
    ("runs", "step_id"),
    ("steps", "product_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Product(TypedDict):
    id: str
    name: str
    scrap_percent: int


class Step(TypedDict):
    id: str
    code: str
    product_id: str
    position: int
    process: Literal["turning", "milling", "drilling", "grinding", "washing"]
    setup_minutes: int


class Machine(TypedDict):
    id: str
    name: str
    can: list[Literal["turning", "milling", "drilling", "grinding", "washing"]]
    largest_lot: int
    hourly_rate: int
    set_up_for_id: str | None
    setup_minutes: int
    down_for: str | None
    condition: Literal["in_service", "down"]


class Order(TypedDict):
    id: str
    number: str
    product_id: str
    due: str
    quantity: int
    pieces: int
    done_to: int
    split_from_id: str | None
    held_for: str | None
    status: Literal["planned", "released", "cancelled", "held", "finished"]


class Run(TypedDict):
    id: str
    order_id: str
    step_id: str
    machine_id: str
    started_at: str
    scrap: int
    cause: Literal["material", "tool_wear", "set_up", "operator"] | None
    status: Literal["running", "done"]


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


class ProductionOrders:
    """Takes the work orders of a machine shop through the steps of their routings, with set-ups, machines
    that can do a step, lot sizes, scrap, holds and orders that are split.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.steps: dict[str, Step] = _copied(config.get("steps", {}))
        self.machines: dict[str, Machine] = _copied(config.get("machines", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.now: str = config.get("now", "2026-03-11T06:20")
        self.counters: dict[str, int] = {
            "product": len(self.products),
            "step": len(self.steps),
            "machine": len(self.machines),
            "order": len(self.orders),
            "run": len(self.runs),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._steps_by_product: dict[Any, dict[str, Step]] = {}
        self._orders_by_number: dict[Any, dict[str, Order]] = {}
        self._orders_by_split_from: dict[Any, dict[str, Order]] = {}
        self._runs_by_machine: dict[Any, dict[str, Run]] = {}
        self._runs_by_machine_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_order: dict[Any, dict[str, Run]] = {}
        self._runs_by_order_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_order_step: dict[Any, dict[str, Run]] = {}
        for step in self.steps.values():
            self._link("steps", step)
        for order in self.orders.values():
            self._link("orders", order)
        for run in self.runs.values():
            self._link("runs", run)

    def dispatch_list(
        self,
        process: Literal["turning", "milling", "drilling", "grinding", "washing"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Released orders that wait for a machine, the earliest due first, with their next step.

        Args:
            process (str, optional): Only orders whose next step is this process: turning, milling, drilling,
                grinding or washing. If left out, orders for every process are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        found = [
            o
            for o in self.orders.values()
            if (o["status"] == "released" and not self._order_running(o))
            and (process is None or self._order_next(o) is not None and self._order_next(o)["process"] == process)
        ]
        found.sort(key=lambda o: (o["due"], o["number"], _age(o)))
        shown = [
            {
                "id": o["id"],
                "number": o["number"],
                "product": self.products[o["product_id"]]["name"],
                "due": o["due"],
                "pieces": o["pieces"],
                "next": _id_of(self._order_next(o)),
                "process": self._order_next(o)["process"] if self._order_next(o) is not None else None,
            }
            for o in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "orders": shown},
            _names((self.steps, "code", [row["next"] for row in shown])),
        )

    def machines_for(self, order_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Idle machines in service that can do the next step of an order, cheapest first.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "machines": records}} or {"success": False, "error": why
                not}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        found = [m for m in self.machines.values() if self._fit(m, order)]
        found.sort(key=lambda m: (m["hourly_rate"], _age(m)))
        return _found(
            {
                "total": len(found),
                "machines": [
                    {
                        "id": m["id"],
                        "name": m["name"],
                        "hourly_rate": m["hourly_rate"],
                        "largest_lot": m["largest_lot"],
                        "set_up": self.steps.get(m["set_up_for_id"]) is self._order_next(order),
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def family_of(self, order_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The orders that were split off an order, and those split off them.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        found = [o for o in _below(self._orders_by_split_from, order)]
        found.sort(key=lambda o: (o["number"], _age(o)))
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "id": o["id"],
                        "number": o["number"],
                        "pieces": o["pieces"],
                        "scrapped": self._order_scrapped(o),
                        "status": o["status"],
                    }
                    for o in _page(found, offset)
                ],
            }
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
        return _found(
            {"total": len(found), "products": [self._show_product(product) for product in _page(found, offset)]}
        )

    def list_steps(
        self,
        code: Text | None = None,
        product_id: str | None = None,
        process: Literal["turning", "milling", "drilling", "grinding", "washing"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the steps, oldest first, all of them or only some.

        Args:
            code (str, optional): Only steps whose code contains this text.
            product_id (str, optional): Only steps of this product.
            process (str, optional): Only steps with this process.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            step
            for step in self.steps.values()
            if (code is None or code.casefold() in step["code"].casefold())
            and (product_id is None or step["product_id"] == product_id)
            and (process is None or step["process"] == process)
        ]
        shown = [{**step} for step in _page(found, offset)]
        return _found({"total": len(found), "steps": shown}, self._names_of_steps(shown))

    def get_machine(self, machine_id: str) -> Result:
        """Look up one machine by its id.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        shown = self._show_machine(machine)
        return _found(shown, self._names_of_machines([shown]))

    def list_machines(
        self,
        name: Text | None = None,
        set_up_for_id: str | None = None,
        condition: Literal["in_service", "down"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the machines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only machines whose name contains this text.
            set_up_for_id (str, optional): Only machines set up for this step.
            condition (str, optional): Only machines with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "machines": records}}
        """
        if set_up_for_id is not None and set_up_for_id not in self.steps:
            return _refused(f"There is no step {set_up_for_id!r}.")
        found = [
            machine
            for machine in self.machines.values()
            if (name is None or name.casefold() in machine["name"].casefold())
            and (set_up_for_id is None or machine["set_up_for_id"] == set_up_for_id)
            and (condition is None or machine["condition"] == condition)
        ]
        shown = [self._show_machine(machine) for machine in _page(found, offset)]
        return _found({"total": len(found), "machines": shown}, self._names_of_machines(shown))

    def get_order(self, order_id: str) -> Result:
        """Look up one order by its id.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        shown = self._show_order(order)
        return _found(shown, self._names_of_orders([shown]))

    def list_orders(
        self,
        number: Text | None = None,
        product_id: str | None = None,
        split_from_id: str | None = None,
        status: Literal["planned", "released", "cancelled", "held", "finished"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            number (str, optional): Only orders whose number contains this text.
            product_id (str, optional): Only orders of this product.
            split_from_id (str, optional): Only orders split from this order.
            status (str, optional): Only orders with this status.
            due_from (str, optional): Only orders whose `due` is on this day or later.
            due_to (str, optional): Only orders whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        if split_from_id is not None and split_from_id not in self.orders:
            return _refused(f"There is no order {split_from_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (number is None or number.casefold() in order["number"].casefold())
            and (product_id is None or order["product_id"] == product_id)
            and (split_from_id is None or order["split_from_id"] == split_from_id)
            and (status is None or order["status"] == status)
            and (due_from is None or order["due"] >= due_from)
            and (due_to is None or order["due"] <= due_to)
        ]
        shown = [self._show_order(order) for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_runs(
        self,
        order_id: str | None = None,
        step_id: str | None = None,
        machine_id: str | None = None,
        cause: Literal["material", "tool_wear", "set_up", "operator"] | None = None,
        status: Literal["running", "done"] | None = None,
        started_at_from: Date | None = None,
        started_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only runs of this order.
            step_id (str, optional): Only runs of this step.
            machine_id (str, optional): Only runs of this machine.
            cause (str, optional): Only runs with this cause.
            status (str, optional): Only runs with this status.
            started_at_from (str, optional): Only runs whose `started_at` is on this day or later.
            started_at_to (str, optional): Only runs whose `started_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        if step_id is not None and step_id not in self.steps:
            return _refused(f"There is no step {step_id!r}.")
        if machine_id is not None and machine_id not in self.machines:
            return _refused(f"There is no machine {machine_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (order_id is None or run["order_id"] == order_id)
            and (step_id is None or run["step_id"] == step_id)
            and (machine_id is None or run["machine_id"] == machine_id)
            and (cause is None or run["cause"] == cause)
            and (status is None or run["status"] == status)
            and (started_at_from is None or run["started_at"][:10] >= started_at_from)
            and (started_at_to is None or run["started_at"][:10] <= started_at_to)
        ]
        shown = [{**run} for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_order(
        self,
        number: Text,
        product_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 500}],
        due: Date,
    ) -> Result:
        """Open a planned order for some pieces of a product.

        Args:
            number (str): Number of the new order, not in use yet.
            product_id (str): Id of the product, such as PRODUCT-00001.
            quantity (int): Pieces that are to be made, from 1 to 500.
            due (str): Day on which the order is due, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if self._orders_by_number.get(number, {}):
            return _refused(f"There is an order {number} already.")
        if due <= self.now[:10]:
            return _refused(f"{due} is not after today.")
        if self._product_last_position(product) <= 0:
            return _refused(f"{product['name']} has no routing.")
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "number": number,
            "product_id": product_id,
            "due": due,
            "quantity": quantity,
            "pieces": quantity,
            "done_to": 0,
            "split_from_id": None,
            "held_for": None,
            "status": "planned",
        }
        self._add("orders", order)
        if len(self._orders_by_number.get(order["number"], {})) > 1:
            return self._take_back(f"There is already an order with the number {order['number']!r}.")
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        if self._breaks_rule_12_o(order):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_o_again(order):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_p(order):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: open order {number} for {quantity} pieces of {product['name']}, due {due} (new: order "
                f"{order['id']})."
            ),
            "data": {"order_id": order["id"], **self._changes()},
        }

    def release_order(self, order_id: str) -> Result:
        """Release a planned order to the shop floor.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "planned":
            return _refused(f"Order {order['number']} is {order['status']}.")
        self._journal = []
        self._put("orders", order, "status", "released")
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        for one_run in _distinct(self._runs_by_order_status.get((order["id"], "running"), {}).values()):
            if self._breaks_rule_9(one_run):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: release order {order['number']}.", "data": self._changes()}

    def set_up_machine(self, machine_id: str, step_id: str) -> Result:
        """Set an idle machine up for a step of a routing.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            step_id (str): Id of the step, such as STEP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        step = self.steps.get(step_id)
        if step is None:
            return _refused(f"There is no step {step_id!r}.")
        if machine["condition"] != "in_service":
            return _refused(f"{machine['name']} is down.")
        if self._machine_busy(machine):
            return _refused(f"{machine['name']} is running, so finish or abort that run first.")
        if step["process"] not in machine["can"]:
            return _refused(f"{machine['name']} cannot do {step['process']}.")
        if machine["set_up_for_id"] == step_id:
            return _refused(f"{machine['name']} is set up for that step already.")
        self._journal = []
        self._put("machines", machine, "set_up_for_id", step_id)
        setup_minutes = machine["setup_minutes"] + step["setup_minutes"]
        if not 0 <= setup_minutes <= 90000:
            return self._take_back(f"The setup minutes of {machine['name']} must be between 0 and 90000.")
        self._put("machines", machine, "setup_minutes", setup_minutes)
        for one_run in _distinct(self._runs_by_machine_status.get((machine["id"], "running"), {}).values()):
            if self._breaks_rule_3(one_run):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: set {machine['name']} up for {step['process']} of "
                f"{self.products[step['product_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def start_run(self, order_id: str, machine_id: str) -> Result:
        """Start the next step of a released order on a machine that is set up for it.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if order["status"] != "released":
            return _refused(f"Order {order['number']} is {order['status']}.")
        if self._order_running(order):
            return _refused(f"Order {order['number']} is running already.")
        step = self._order_next(order)
        if step is None:
            return _refused(f"Order {order['number']} has no step left.")
        if machine["condition"] != "in_service":
            return _refused(f"{machine['name']} is down.")
        if self._machine_busy(machine):
            return _refused(f"{machine['name']} is running another order.")
        if step["process"] not in machine["can"]:
            return _refused(f"{machine['name']} cannot do {step['process']}.")
        if machine["set_up_for_id"] != step["id"]:
            return _refused(
                f"{machine['name']} is not set up for {step['process']} of "
                f"{self.products[order['product_id']]['name']}."
            )
        if order["pieces"] > machine["largest_lot"]:
            return _refused(
                f"{machine['name']} takes {machine['largest_lot']} pieces and order {order['number']} has "
                f"{order['pieces']}, so split it."
            )
        self._journal = []
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "order_id": order_id,
            "step_id": step["id"],
            "machine_id": machine_id,
            "started_at": self.now,
            "scrap": 0,
            "cause": None,
            "status": "running",
        }
        self._add("runs", run)
        if self._breaks_rule_1_r(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_r_again(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(run):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(run):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_r(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_r_again(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_r(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_r_again(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.orders[run["order_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(run):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(run):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_r(run):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: start order {order['number']} on {machine['name']} (new: run {run['id']}).",
            "data": {"run_id": run["id"], **self._changes()},
        }

    def finish_run(
        self,
        run_id: str,
        scrap: Annotated[int, {"minimum": 0, "maximum": 500}] = 0,
        cause: Literal["material", "tool_wear", "set_up", "operator"] | None = None,
    ) -> Result:
        """Finish a run and report the scrap; an order with more scrap than its product allows is held, one without a
        step left is finished.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            scrap (int): Pieces that were spoiled in the run, from 0 to 500. Default: 0.
            cause (str, optional): What caused the scrap, needed when there is any: material, tool_wear, set_up or
                operator. If left out, no cause is noted, which only fits a run without scrap.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "running":
            return _refused(f"That run is {run['status']}.")
        if scrap >= self.orders[run["order_id"]]["pieces"]:
            return _refused(
                f"Order {self.orders[run['order_id']]['number']} has {self.orders[run['order_id']]['pieces']} "
                "pieces and not all may be scrap; abort the run and cancel the order instead."
            )
        if (scrap > 0) != (cause is not None):
            return _refused("Scrap needs a cause, and a cause needs scrap.")
        self._journal = []
        changed_orders: list[Any] = []
        order = self.orders[run["order_id"]]
        bad = self._beyond(order, scrap)
        pieces = order["pieces"] - scrap
        if not 0 <= pieces <= 500:
            return self._take_back(f"The pieces of {order['number']} must be between 0 and 500.")
        self._put("orders", order, "pieces", pieces)
        self._put("orders", order, "done_to", self.steps[run["step_id"]]["position"])
        self._put("runs", run, "scrap", scrap)
        self._put("runs", run, "cause", cause)
        self._put("runs", run, "status", "done")
        if self._order_next(order) is None:
            if order["status"] not in ("released", "finished"):
                return self._take_back(f"Order {order['number']} cannot go from {order['status']} to finished.")
            changed_orders.append(order)
            self._put("orders", order, "status", "finished")
        else:
            if bad and scrap > 0:
                if order["status"] not in ("released", "held"):
                    return self._take_back(f"Order {order['number']} cannot go from {order['status']} to held.")
                changed_orders.append(order)
                self._put("orders", order, "status", "held")
        if self._breaks_rule_1_r(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_r_again(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(run):
            return self._take_back(RULES[2])
        for one_run in _distinct([run, *self._runs_by_order_status.get((order["id"], "done"), {}).values()]):
            if self._breaks_rule_5_r(one_run):
                return self._take_back(RULES[4])
        for one_run in _distinct([run, *self._runs_by_order_status.get((order["id"], "running"), {}).values()]):
            if self._breaks_rule_5_r_again(one_run):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.orders[run["order_id"]]):
            return self._take_back(RULES[5])
        for one_order in _distinct([order, *changed_orders]):
            if self._breaks_rule_7(one_order):
                return self._take_back(RULES[6])
        for one_run in _distinct([run, *self._runs_by_order_status.get((order["id"], "running"), {}).values()]):
            if self._breaks_rule_8(one_run):
                return self._take_back(RULES[7])
        for one_run in _distinct(
            [
                run,
                *[
                    user
                    for one in changed_orders
                    for user in self._runs_by_order_status.get((one["id"], "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_run):
                return self._take_back(RULES[8])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_10(one_order):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_r(run):
            return self._take_back(RULES[10])
        done = f"finish the run of order {self.orders[run['order_id']]['number']} on {self.machines[run['machine_id']]['name']} with {scrap} pieces of scrap"
        if cause is not None:
            done += f" because of {cause}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def abort_run(self, run_id: str) -> Result:
        """Take an order off a machine before its step is done; the pieces wait for that step again.

        Args:
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "running":
            return _refused(f"That run is {run['status']}.")
        self._journal = []
        self._remove("runs", run)
        if self._breaks_rule_6(self.orders[run["order_id"]]):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: abort the run of order {self.orders[run['order_id']]['number']} on "
                f"{self.machines[run['machine_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def split_order(
        self,
        order_id: str,
        pieces: Annotated[int, {"minimum": 1, "maximum": 499}],
        number: Text,
    ) -> Result:
        """Split pieces off an order that is not running; the new order stands at the same step.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            pieces (int): Pieces that go to the new order, fewer than all, from 1 to 499.
            number (str): Number of the new order, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] not in ("planned", "released"):
            return _refused(f"Order {order['number']} is {order['status']}.")
        if self._order_running(order):
            return _refused(f"Order {order['number']} is running; finish or abort that run first.")
        if pieces >= order["pieces"]:
            return _refused(f"Order {order['number']} has {order['pieces']} pieces, and one at least stays.")
        if self._orders_by_number.get(number, {}):
            return _refused(f"There is an order {number} already.")
        done = f"split {pieces} pieces off order {order['number']} as order {number}"
        self._journal = []
        changed_orders: list[Any] = []
        quantity = order["quantity"] - pieces
        if not 1 <= quantity <= 500:
            return self._take_back(f"The quantity of {order['number']} must be between 1 and 500.")
        self._put("orders", order, "quantity", quantity)
        new_pieces = order["pieces"] - pieces
        if not 0 <= new_pieces <= 500:
            return self._take_back(f"The pieces of {order['number']} must be between 0 and 500.")
        self._put("orders", order, "pieces", new_pieces)
        part: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "number": number,
            "product_id": order["product_id"],
            "due": order["due"],
            "quantity": pieces,
            "pieces": pieces,
            "done_to": order["done_to"],
            "split_from_id": order_id,
            "held_for": None,
            "status": "planned",
        }
        self._add("orders", part)
        if order["status"] == "released":
            if part["status"] not in ("planned", "released", "held"):
                return self._take_back(f"Order {part['number']} cannot go from {part['status']} to released.")
            changed_orders.append(part)
            self._put("orders", part, "status", "released")
        if len(self._orders_by_number.get(part["number"], {})) > 1:
            return self._take_back(f"There is already an order with the number {part['number']!r}.")
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(part):
            return self._take_back(RULES[5])
        for one_order in _distinct([order, part, *changed_orders]):
            if self._breaks_rule_7(one_order):
                return self._take_back(RULES[6])
        for one_run in _distinct(self._runs_by_order_status.get((order["id"], "running"), {}).values()):
            if self._breaks_rule_8(one_run):
                return self._take_back(RULES[7])
        for one_run in _distinct(
            [
                user
                for one in changed_orders
                for user in self._runs_by_order_status.get((one["id"], "running"), {}).values()
            ]
        ):
            if self._breaks_rule_9(one_run):
                return self._take_back(RULES[8])
        for one_order in _distinct([part, *changed_orders]):
            if self._breaks_rule_10(one_order):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_o(part):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_o_again(part):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_p(part):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: order {part['id']}).",
            "data": {"order_id": part["id"], **self._changes()},
        }

    def hold_order(self, order_id: str, reason: Text) -> Result:
        """Hold a released order that is not running, and say why.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            reason (str): Why the order is held.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "released":
            return _refused(f"Order {order['number']} is {order['status']}.")
        if self._order_running(order):
            return _refused(f"Order {order['number']} is running, so finish or abort that run first.")
        self._journal = []
        self._put("orders", order, "held_for", reason)
        self._put("orders", order, "status", "held")
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        for one_run in _distinct(self._runs_by_order_status.get((order["id"], "running"), {}).values()):
            if self._breaks_rule_9(one_run):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: hold order {order['number']} because of {reason}.",
            "data": self._changes(),
        }

    def lift_hold(self, order_id: str) -> Result:
        """Let an order that was held, for its scrap or for another reason, go on.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "held":
            return _refused(f"Order {order['number']} is {order['status']}, not held.")
        self._journal = []
        self._put("orders", order, "held_for", None)
        self._put("orders", order, "status", "released")
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        for one_run in _distinct(self._runs_by_order_status.get((order["id"], "running"), {}).values()):
            if self._breaks_rule_9(one_run):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: lift the hold on order {order['number']}.",
            "data": self._changes(),
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an order that is not running and not finished.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] not in ("planned", "released", "held"):
            return _refused(f"Order {order['number']} is {order['status']}.")
        if self._order_running(order):
            return _refused(f"Order {order['number']} is running, so abort that run first.")
        self._journal = []
        self._put("orders", order, "status", "cancelled")
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        for one_run in _distinct(self._runs_by_order_status.get((order["id"], "running"), {}).values()):
            if self._breaks_rule_9(one_run):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: cancel order {order['number']}.", "data": self._changes()}

    def stop_machine(self, machine_id: str, reason: Text) -> Result:
        """Take a machine out of service; its set-up is lost.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            reason (str): Why the machine is taken out of service.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if machine["condition"] != "in_service":
            return _refused(f"{machine['name']} is down already.")
        if self._machine_busy(machine):
            return _refused(f"{machine['name']} is running, so abort or finish that run first.")
        self._journal = []
        self._put("machines", machine, "set_up_for_id", None)
        self._put("machines", machine, "down_for", reason)
        self._put("machines", machine, "condition", "down")
        for one_run in _distinct(self._runs_by_machine_status.get((machine["id"], "running"), {}).values()):
            if self._breaks_rule_3(one_run):
                return self._take_back(RULES[2])
        if self._breaks_rule_11_m(machine):
            return self._take_back(RULES[10])
        for one_run in _distinct(self._runs_by_machine_status.get((machine["id"], "running"), {}).values()):
            if self._breaks_rule_11_r(one_run):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: stop {machine['name']} because of {reason}.",
            "data": self._changes(),
        }

    def return_machine(self, machine_id: str) -> Result:
        """Put a repaired machine back into service.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if machine["condition"] != "down":
            return _refused(f"{machine['name']} is in service.")
        self._journal = []
        self._put("machines", machine, "down_for", None)
        self._put("machines", machine, "condition", "in_service")
        if self._breaks_rule_11_m(machine):
            return self._take_back(RULES[10])
        for one_run in _distinct(self._runs_by_machine_status.get((machine["id"], "running"), {}).values()):
            if self._breaks_rule_11_r(one_run):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: return {machine['name']} to service.", "data": self._changes()}

    def _show_product(self, product: Product) -> dict[str, Any]:
        """The product as an answer shows it."""
        return {**product, "last_position": self._product_last_position(product)}

    def _show_machine(self, machine: Machine) -> dict[str, Any]:
        """The machine as an answer shows it."""
        return {**machine, "can": [*machine["can"]], "busy": self._machine_busy(machine)}

    def _show_order(self, order: Order) -> dict[str, Any]:
        """The order as an answer shows it."""
        return {
            **order,
            "next_id": _id_of(self._order_next(order)),
            "scrapped": self._order_scrapped(order),
            "running": self._order_running(order),
        }

    def _names_of_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that steps point to."""
        return _names((self.products, "name", [row["product_id"] for row in shown]))

    def _names_of_machines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that machines point to."""
        return _names((self.steps, "code", [row["set_up_for_id"] for row in shown]))

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.products, "name", [row["product_id"] for row in shown]),
            (self.orders, "number", [row["split_from_id"] for row in shown]),
            (self.steps, "code", [row["next_id"] for row in shown]),
        )

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names(
            (self.orders, "number", [row["order_id"] for row in shown]),
            (self.steps, "code", [row["step_id"] for row in shown]),
            (self.machines, "name", [row["machine_id"] for row in shown]),
        )

    def _product_last_position(self, product: Product) -> int:
        """The last position of a product."""
        return (
            max((s["position"] for s in self._steps_by_product.get(product["id"], {}).values()), default=None)
            if max(
                (s["position"] for s in self._steps_by_product.get(product["id"], {}).values()),
                default=None,
            ) is not None
            else 0
        )

    def _machine_busy(self, machine: Machine) -> bool:
        """The busy of a machine."""
        return any(r["status"] == "running" for r in self._runs_by_machine.get(machine["id"], {}).values())

    def _order_next(self, order: Order) -> Step | None:
        """The next of an order."""
        return min(
            (
                s
                for s in self._steps_by_product.get(order["product_id"], {}).values()
                if s["position"] > order["done_to"]
            ),
            key=lambda s: (s["position"], _age(s)),
            default=None,
        )

    def _order_scrapped(self, order: Order) -> int:
        """The scrapped of an order."""
        return sum(r["scrap"] for r in self._runs_by_order.get(order["id"], {}).values())

    def _order_running(self, order: Order) -> bool:
        """The running of an order."""
        return any(r["status"] == "running" for r in self._runs_by_order.get(order["id"], {}).values())

    def _beyond(self, o: Order, more: int) -> bool:
        return (
            self._order_scrapped(o) + more
        ) * 100 > o["quantity"] * self.products[o["product_id"]]["scrap_percent"]

    def _fit(self, m: Machine, o: Order) -> bool:
        return (
            m["condition"] == "in_service"
            and not self._machine_busy(m)
            and self._order_next(o) is not None
            and self._order_next(o)["process"] in m["can"]
        )

    def _breaks_rule_1_r(self, r: Run) -> bool:
        """Whether this is broken: a machine runs one order at a time, and an order runs on one machine at a time."""
        return (
            r["status"] == "running"
            and any(
                other_r is not r
                for other_r in self._runs_by_machine_status.get((r["machine_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_1_r_again(self, r: Run) -> bool:
        """Whether this is broken: a machine runs one order at a time, and an order runs on one machine at a time."""
        return (
            r["status"] == "running"
            and any(
                other_r is not r
                for other_r in self._runs_by_order_status.get((r["order_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_2(self, r: Run) -> bool:
        """Whether this is broken: a step is done on a machine that can do it."""
        return self.steps[r["step_id"]]["process"] not in self.machines[r["machine_id"]]["can"]

    def _breaks_rule_3(self, r: Run) -> bool:
        """Whether this is broken: a machine that runs is set up for exactly the step it runs."""
        return r["status"] == "running" and self.machines[r["machine_id"]]["set_up_for_id"] != r["step_id"]

    def _breaks_rule_4_r(self, r: Run) -> bool:
        """Whether this is broken: an order follows the routing of its own product and does no step twice."""
        return self.steps[r["step_id"]]["product_id"] != self.orders[r["order_id"]]["product_id"]

    def _breaks_rule_4_r_again(self, r: Run) -> bool:
        """Whether this is broken: an order follows the routing of its own product and does no step twice."""
        return any(
            other_r is not r
            for other_r in self._runs_by_order_step.get((r["order_id"], r["step_id"]), {}).values()
        )

    def _breaks_rule_5_r(self, r: Run) -> bool:
        """Whether this is broken: the steps of an order are done one after the other."""
        return r["status"] == "done" and self.steps[r["step_id"]]["position"] > self.orders[r["order_id"]]["done_to"]

    def _breaks_rule_5_r_again(self, r: Run) -> bool:
        """Whether this is broken: the steps of an order are done one after the other."""
        return (
            r["status"] == "running"
            and self._order_next(self.orders[r["order_id"]]) is not self.steps[r["step_id"]]
        )

    def _breaks_rule_6(self, o: Order) -> bool:
        """Whether this is broken: the pieces left and the pieces scrapped make the quantity of an order."""
        return o["pieces"] + self._order_scrapped(o) != o["quantity"]

    def _breaks_rule_7(self, o: Order) -> bool:
        """Whether this is broken: an order is finished when it is through the last step with pieces left, and only
        then.
        """
        return (
            o["status"] in ("released", "finished")
            and (o["status"] == "finished") != (
                o["done_to"] == self._product_last_position(self.products[o["product_id"]])
                and o["pieces"] > 0
            )
        )

    def _breaks_rule_8(self, r: Run) -> bool:
        """Whether this is broken: a lot never exceeds what the machine takes."""
        return (
            r["status"] == "running"
            and self.orders[r["order_id"]]["pieces"] > self.machines[r["machine_id"]]["largest_lot"]
        )

    def _breaks_rule_9(self, r: Run) -> bool:
        """Whether this is broken: only released orders run."""
        return r["status"] == "running" and self.orders[r["order_id"]]["status"] != "released"

    def _breaks_rule_10(self, o: Order) -> bool:
        """Whether this is broken: only an order that is held, or was cancelled then, says what it is held for."""
        return o["held_for"] is not None and o["status"] not in ("held", "cancelled")

    def _breaks_rule_11_m(self, m: Machine) -> bool:
        """Whether this is broken: a machine that is down says why and runs nothing."""
        return (m["condition"] == "down") != (m["down_for"] is not None)

    def _breaks_rule_11_r(self, r: Run) -> bool:
        """Whether this is broken: a machine that is down says why and runs nothing."""
        return r["status"] == "running" and self.machines[r["machine_id"]]["condition"] == "down"

    def _breaks_rule_12_o(self, o: Order) -> bool:
        """Whether this is broken: who is split off makes the same product as the order it comes from, and no order
        comes from itself.
        """
        return o in _above(self.orders, o, "split_from_id")

    def _breaks_rule_12_o_again(self, o: Order) -> bool:
        """Whether this is broken: who is split off makes the same product as the order it comes from, and no order
        comes from itself.
        """
        return any(o["product_id"] != p["product_id"] for p in _those(self.orders, [o["split_from_id"]]))

    def _breaks_rule_12_p(self, p: Order) -> bool:
        """Whether this is broken: who is split off makes the same product as the order it comes from, and no order
        comes from itself.
        """
        return any(o["product_id"] != p["product_id"] for o in self._orders_by_split_from.get(p["id"], {}).values())

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
            case "steps":
                self._steps_by_product.setdefault(record["product_id"], {})[record["id"]] = record
            case "orders":
                self._orders_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._orders_by_split_from.setdefault(record["split_from_id"], {})[record["id"]] = record
            case "runs":
                self._runs_by_machine.setdefault(record["machine_id"], {})[record["id"]] = record
                self._runs_by_machine_status.setdefault(
                    (record["machine_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._runs_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._runs_by_order_status.setdefault((record["order_id"], record["status"]), {})[record["id"]] = record
                self._runs_by_order_step.setdefault((record["order_id"], record["step_id"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "steps":
                del self._steps_by_product[record["product_id"]][record["id"]]
            case "orders":
                del self._orders_by_number[record["number"]][record["id"]]
                del self._orders_by_split_from[record["split_from_id"]][record["id"]]
            case "runs":
                del self._runs_by_machine[record["machine_id"]][record["id"]]
                del self._runs_by_machine_status[record["machine_id"], record["status"]][record["id"]]
                del self._runs_by_order[record["order_id"]][record["id"]]
                del self._runs_by_order_status[record["order_id"], record["status"]][record["id"]]
                del self._runs_by_order_step[record["order_id"], record["step_id"]][record["id"]]
