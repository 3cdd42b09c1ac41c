"""Fibre provisioning. Compiled from blueprint.yaml; run `envscaler build fibre_provisioning` after changing it there.

Connects homes to a fibre network of splitters in a tree, with optical budgets, ports, visits by technicians and
outages of whole branches.
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
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Nothing hangs on a splitter beyond its ports.",
    "Only an exchange stands at the top of the tree.",
    "A home has at most one order that is under way or live.",
    "An order holds a port from its reservation until it is cancelled or ended, and no longer.",
    "A home is served only by splitters of its own cabinet.",
    "The loss on the way to a home never exceeds what its profile bears.",
    "Planned visits are for scheduled orders, one for each at a time.",
    "A technician makes one visit in half a day.",
    "Drops of more than 150 metres are made by technicians who splice.",
    "There are no visits on Sundays.",
    "No open outage lies on the branch below another one.",
    "A box is in use at one home only.",
    "A merged outage says into which one, and a cleared one who repaired it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "place_order",
    "reserve_port",
    "book_visit",
    "move_visit",
    "finish_visit",
    "withdraw_order",
    "rehang_line",
    "change_profile",
    "add_splitter",
    "report_outage",
    "clear_outage",
)
"""The methods that may change something; all others only read."""

ORDER_STATUS_MOVES = {
    ("placed", "reserved"),
    ("placed", "cancelled"),
    ("reserved", "scheduled"),
    ("reserved", "cancelled"),
    ("scheduled", "live"),
    ("scheduled", "reserved"),
    ("scheduled", "cancelled"),
    ("live", "ended"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "nodes": ("code",),
    "premises": ("address",),
    "profiles": ("name",),
    "technicians": ("name",),
    "orders": ("customer",),
    "visits": (),
    "outages": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("nodes", "code"),
    ("nodes", "parent_id"),
    ("orders", "node_id"),
    ("orders", "ont"),
    ("orders", "premise_id"),
    ("orders", "status"),
    ("outages", "node_id"),
    ("outages", "status"),
    ("premises", "cabinet_id"),
    ("visits", "half"),
    ("visits", "order_id"),
    ("visits", "status"),
    ("visits", "technician_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Node(TypedDict):
    id: str
    code: str
    kind: Literal["exchange", "splitter"]
    parent_id: str | None
    ports: int
    loss: int
    fibre_m: int


class Premise(TypedDict):
    id: str
    address: str
    cabinet_id: str
    drop_m: int


class Profile(TypedDict):
    id: str
    name: str
    megabits: int
    max_loss: int
    monthly: int


class Technician(TypedDict):
    id: str
    name: str
    splices: bool


class Order(TypedDict):
    id: str
    premise_id: str
    customer: str
    profile_id: str
    node_id: str | None
    placed_on: str
    live_on: str | None
    ont: str | None
    status: Literal["placed", "reserved", "cancelled", "scheduled", "live", "ended"]


class Visit(TypedDict):
    id: str
    order_id: str
    technician_id: str
    visit_on: str
    half: Literal["morning", "afternoon"]
    measured: int | None
    status: Literal["planned", "done", "failed", "dropped"]


class Outage(TypedDict):
    id: str
    node_id: str
    cause: Literal["cable_cut", "power", "card_fault", "water"]
    opened_at: str
    merged_into_id: str | None
    repaired_by_id: str | None
    cleared_at: str | None
    status: Literal["open", "merged", "cleared"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


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


class FibreProvisioning:
    """Connects homes to a fibre network of splitters in a tree, with optical budgets, ports, visits by
    technicians and outages of whole branches.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.nodes: dict[str, Node] = _copied(config.get("nodes", {}))
        self.premises: dict[str, Premise] = _copied(config.get("premises", {}))
        self.profiles: dict[str, Profile] = _copied(config.get("profiles", {}))
        self.technicians: dict[str, Technician] = _copied(config.get("technicians", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.outages: dict[str, Outage] = _copied(config.get("outages", {}))
        self.now: str = config.get("now", "2026-05-12T08:30")
        self.counters: dict[str, int] = {
            "node": len(self.nodes),
            "premise": len(self.premises),
            "profile": len(self.profiles),
            "technician": len(self.technicians),
            "order": len(self.orders),
            "visit": len(self.visits),
            "outage": len(self.outages),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._nodes_by_code: dict[Any, dict[str, Node]] = {}
        self._nodes_by_lower_code: dict[Any, dict[str, Node]] = {}
        self._nodes_by_parent: dict[Any, dict[str, Node]] = {}
        self._premises_by_cabinet: dict[Any, dict[str, Premise]] = {}
        self._orders_by_node: dict[Any, dict[str, Order]] = {}
        self._orders_by_ont_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_premise: dict[Any, dict[str, Order]] = {}
        self._orders_by_status: dict[Any, dict[str, Order]] = {}
        self._visits_by_order_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_technician: dict[Any, dict[str, Visit]] = {}
        self._visits_by_technician_half_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_technician_status: dict[Any, dict[str, Visit]] = {}
        self._outages_by_node: dict[Any, dict[str, Outage]] = {}
        self._outages_by_status: dict[Any, dict[str, Outage]] = {}
        for node in self.nodes.values():
            self._link("nodes", node)
        for premise in self.premises.values():
            self._link("premises", premise)
        for order in self.orders.values():
            self._link("orders", order)
        for visit in self.visits.values():
            self._link("visits", visit)
        for outage in self.outages.values():
            self._link("outages", outage)

    def possible_ports(
        self,
        premise_id: str,
        profile_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Splitters with a free port from which a home can have a profile, lowest loss first.

        Args:
            premise_id (str): Id of the premise, such as PREMISE-00001.
            profile_id (str, optional): Profile whose highest loss must not be exceeded; an id such as
                PROFILE-00001. If left out, ports are listed whatever their loss.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nodes": records}} or {"success": False, "error": why
                not}
        """
        premise = self.premises.get(premise_id)
        if premise is None:
            return _refused(f"There is no premise {premise_id!r}.")
        profile = self.profiles.get(profile_id) if profile_id is not None else None
        if profile_id is not None and profile is None:
            return _refused(f"There is no profile {profile_id!r}.")
        found = [
            n
            for n in _those(
                self.nodes,
                [
                    premise["cabinet_id"],
                    *[record["id"] for record in _below(self._nodes_by_parent, self.nodes[premise["cabinet_id"]])],
                ],
            )
            if (self._serves(n, premise) and self._node_free(n) > 0)
            and (profile_id is None or self._loss_at(n, premise) <= profile["max_loss"])
        ]
        found.sort(key=lambda n: (self._loss_at(n, premise), n["code"], _age(n)))
        return _found(
            {
                "total": len(found),
                "nodes": [
                    {"id": n["id"], "code": n["code"], "free": self._node_free(n), "loss": self._loss_at(n, premise)}
                    for n in _page(found, offset)
                ],
            }
        )

    def customers_behind(
        self,
        node_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who is live on a node or anywhere on the branch below it.

        Args:
            node_id (str): Id of the node, such as NODE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        found = [o for o in self._behind(node)]
        found.sort(key=lambda o: (o["customer"], o["id"], _age(o)))
        shown = [
            {
                "id": o["id"],
                "customer": o["customer"],
                "premise": self.premises[o["premise_id"]]["address"],
                "node": o["node_id"],
                "profile": self.profiles[o["profile_id"]]["name"],
            }
            for o in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "orders": shown},
            _names((self.nodes, "code", [row["node"] for row in shown])),
        )

    def diary(
        self,
        technician_id: str | None = None,
        on: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The planned visits of a day or of a technician, in order.

        Args:
            technician_id (str, optional): Technician whose visits are listed; an id such as TECHNICIAN-00001. If
                left out, the visits of all technicians are listed.
            on (str, optional): Day of the visits listed, as YYYY-MM-DD. If left out, the visits of all days are
                listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}} or {"success": False, "error": why
                not}
        """
        technician = self.technicians.get(technician_id) if technician_id is not None else None
        if technician_id is not None and technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        found = [
            v
            for v in self._visits_by_status.get("planned", {}).values()
            if (technician_id is None or v["technician_id"] == technician_id)
            and (on is None or v["visit_on"] == on)
        ]
        found.sort(
            key=lambda v: (
                v["visit_on"],
                _descending(v["half"]),
                self.technicians[v["technician_id"]]["name"],
                _age(v),
            )
        )
        return _found(
            {
                "total": len(found),
                "visits": [
                    {
                        "id": v["id"],
                        "visit_on": v["visit_on"],
                        "half": v["half"],
                        "technician": self.technicians[v["technician_id"]]["name"],
                        "customer": self.orders[v["order_id"]]["customer"],
                        "premise": self.premises[self.orders[v["order_id"]]["premise_id"]]["address"],
                        "drop_m": self.premises[self.orders[v["order_id"]]["premise_id"]]["drop_m"],
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def waiting_for_port(
        self,
        cabinet_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Orders that have no port yet, longest wait first.

        Args:
            cabinet_id (str, optional): Node that is the cabinet of the homes listed; an id such as NODE-00001. If
                left out, orders at all cabinets are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        cabinet = self.nodes.get(cabinet_id) if cabinet_id is not None else None
        if cabinet_id is not None and cabinet is None:
            return _refused(f"There is no node {cabinet_id!r}.")
        found = [
            o
            for o in self._orders_by_status.get("placed", {}).values()
            if (cabinet_id is None or self.premises[o["premise_id"]]["cabinet_id"] == cabinet_id)
        ]
        found.sort(key=lambda o: (o["placed_on"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "id": o["id"],
                        "customer": o["customer"],
                        "premise": self.premises[o["premise_id"]]["address"],
                        "profile": self.profiles[o["profile_id"]]["name"],
                        "placed_on": o["placed_on"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def list_nodes(
        self,
        code: Text | None = None,
        kind: Literal["exchange", "splitter"] | None = None,
        parent_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the nodes, oldest first, all of them or only some.

        Args:
            code (str, optional): Only nodes whose code contains this text.
            kind (str, optional): Only nodes with this kind.
            parent_id (str, optional): Only nodes whose parent is this node.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nodes": records}}
        """
        if parent_id is not None and parent_id not in self.nodes:
            return _refused(f"There is no node {parent_id!r}.")
        found = [
            node
            for node in self.nodes.values()
            if (code is None or code.casefold() in node["code"].casefold())
            and (kind is None or node["kind"] == kind)
            and (parent_id is None or node["parent_id"] == parent_id)
        ]
        shown = [self._show_node(node) for node in _page(found, offset)]
        return _found({"total": len(found), "nodes": shown}, self._names_of_nodes(shown))

    def list_premises(
        self,
        address: Text | None = None,
        cabinet_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the premises, oldest first, all of them or only some.

        Args:
            address (str, optional): Only premises whose address contains this text.
            cabinet_id (str, optional): Only premises whose cabinet is this node.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "premises": records}}
        """
        if cabinet_id is not None and cabinet_id not in self.nodes:
            return _refused(f"There is no node {cabinet_id!r}.")
        found = [
            premise
            for premise in self.premises.values()
            if (address is None or address.casefold() in premise["address"].casefold())
            and (cabinet_id is None or premise["cabinet_id"] == cabinet_id)
        ]
        shown = [{**premise} for premise in _page(found, offset)]
        return _found({"total": len(found), "premises": shown}, self._names_of_premises(shown))

    def list_profiles(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the profiles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only profiles whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "profiles": records}}
        """
        found = [
            profile
            for profile in self.profiles.values()
            if (name is None or name.casefold() in profile["name"].casefold())
        ]
        return _found({"total": len(found), "profiles": [{**profile} for profile in _page(found, offset)]})

    def list_technicians(
        self,
        name: Text | None = None,
        splices: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the technicians, oldest first, all of them or only some.

        Args:
            name (str, optional): Only technicians whose name contains this text.
            splices (bool, optional): Only technicians with this value of `splices`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "technicians": records}}
        """
        found = [
            technician
            for technician in self.technicians.values()
            if (name is None or name.casefold() in technician["name"].casefold())
            and (splices is None or technician["splices"] == splices)
        ]
        return _found(
            {
                "total": len(found),
                "technicians": [self._show_technician(technician) for technician in _page(found, offset)],
            }
        )

    def list_orders(
        self,
        customer: Text | None = None,
        premise_id: str | None = None,
        profile_id: str | None = None,
        node_id: str | None = None,
        status: Literal["placed", "reserved", "cancelled", "scheduled", "live", "ended"] | None = None,
        placed_on_from: Date | None = None,
        placed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            customer (str, optional): Only orders whose customer contains this text.
            premise_id (str, optional): Only orders of this premise.
            profile_id (str, optional): Only orders of this profile.
            node_id (str, optional): Only orders of this node.
            status (str, optional): Only orders with this status.
            placed_on_from (str, optional): Only orders whose `placed_on` is on this day or later.
            placed_on_to (str, optional): Only orders whose `placed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if premise_id is not None and premise_id not in self.premises:
            return _refused(f"There is no premise {premise_id!r}.")
        if profile_id is not None and profile_id not in self.profiles:
            return _refused(f"There is no profile {profile_id!r}.")
        if node_id is not None and node_id not in self.nodes:
            return _refused(f"There is no node {node_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (customer is None or customer.casefold() in order["customer"].casefold())
            and (premise_id is None or order["premise_id"] == premise_id)
            and (profile_id is None or order["profile_id"] == profile_id)
            and (node_id is None or order["node_id"] == node_id)
            and (status is None or order["status"] == status)
            and (placed_on_from is None or order["placed_on"] >= placed_on_from)
            and (placed_on_to is None or order["placed_on"] <= placed_on_to)
        ]
        shown = [self._show_order(order) for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_visits(
        self,
        order_id: str | None = None,
        technician_id: str | None = None,
        half: Literal["morning", "afternoon"] | None = None,
        status: Literal["planned", "done", "failed", "dropped"] | None = None,
        visit_on_from: Date | None = None,
        visit_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only visits of this order.
            technician_id (str, optional): Only visits of this technician.
            half (str, optional): Only visits with this half.
            status (str, optional): Only visits with this status.
            visit_on_from (str, optional): Only visits whose `visit_on` is on this day or later.
            visit_on_to (str, optional): Only visits whose `visit_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        if technician_id is not None and technician_id not in self.technicians:
            return _refused(f"There is no technician {technician_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (order_id is None or visit["order_id"] == order_id)
            and (technician_id is None or visit["technician_id"] == technician_id)
            and (half is None or visit["half"] == half)
            and (status is None or visit["status"] == status)
            and (visit_on_from is None or visit["visit_on"] >= visit_on_from)
            and (visit_on_to is None or visit["visit_on"] <= visit_on_to)
        ]
        shown = [{**visit} for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def list_outages(
        self,
        node_id: str | None = None,
        cause: Literal["cable_cut", "power", "card_fault", "water"] | None = None,
        merged_into_id: str | None = None,
        repaired_by_id: str | None = None,
        status: Literal["open", "merged", "cleared"] | None = None,
        opened_at_from: Date | None = None,
        opened_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the outages, oldest first, all of them or only some.

        Args:
            node_id (str, optional): Only outages of this node.
            cause (str, optional): Only outages with this cause.
            merged_into_id (str, optional): Only outages whose merged into is this outage.
            repaired_by_id (str, optional): Only outages repaired by this technician.
            status (str, optional): Only outages with this status.
            opened_at_from (str, optional): Only outages whose `opened_at` is on this day or later.
            opened_at_to (str, optional): Only outages whose `opened_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "outages": records}}
        """
        if node_id is not None and node_id not in self.nodes:
            return _refused(f"There is no node {node_id!r}.")
        if merged_into_id is not None and merged_into_id not in self.outages:
            return _refused(f"There is no outage {merged_into_id!r}.")
        if repaired_by_id is not None and repaired_by_id not in self.technicians:
            return _refused(f"There is no technician {repaired_by_id!r}.")
        found = [
            outage
            for outage in self.outages.values()
            if (node_id is None or outage["node_id"] == node_id)
            and (cause is None or outage["cause"] == cause)
            and (merged_into_id is None or outage["merged_into_id"] == merged_into_id)
            and (repaired_by_id is None or outage["repaired_by_id"] == repaired_by_id)
            and (status is None or outage["status"] == status)
            and (opened_at_from is None or outage["opened_at"][:10] >= opened_at_from)
            and (opened_at_to is None or outage["opened_at"][:10] <= opened_at_to)
        ]
        shown = [{**outage} for outage in _page(found, offset)]
        return _found({"total": len(found), "outages": shown}, self._names_of_outages(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def place_order(self, premise_id: str, customer: Text, profile_id: str) -> Result:
        """Take the order of a customer for a home.

        Args:
            premise_id (str): Id of the premise, such as PREMISE-00001.
            customer (str): Full name of the customer who orders.
            profile_id (str): Id of the profile, such as PROFILE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        premise = self.premises.get(premise_id)
        if premise is None:
            return _refused(f"There is no premise {premise_id!r}.")
        profile = self.profiles.get(profile_id)
        if profile is None:
            return _refused(f"There is no profile {profile_id!r}.")
        other = next(
            (o for o in sorted(self._orders_by_premise.get(premise_id, {}).values(), key=_age) if self._standing(o)),
            None,
        )
        if other is not None:
            return _refused(f"{premise['address']} has an order of {other['customer']}, which is {other['status']}.")
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "premise_id": premise_id,
            "customer": customer,
            "profile_id": profile_id,
            "node_id": None,
            "placed_on": self.now[:10],
            "live_on": None,
            "ont": None,
            "status": "placed",
        }
        self._add("orders", order)
        for one_node in _distinct([self.nodes.get(order["node_id"])]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_12(order):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: place the order of {customer} for {premise['address']} with profile {profile['name']} "
                f"(new: order {order['id']})."
            ),
            "data": {"order_id": order["id"], **self._changes()},
        }

    def reserve_port(self, order_id: str, node_id: str) -> Result:
        """Reserve a port on a splitter for a new order.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            node_id (str): Id of the node, such as NODE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if order["status"] != "placed":
            return _refused(f"The order of {order['customer']} is {order['status']}.")
        if not self._serves(node, self.premises[order["premise_id"]]):
            return _refused(
                f"{node['code']} is no splitter of cabinet "
                f"{self.nodes[self.premises[order['premise_id']]['cabinet_id']]['code']}, which serves "
                f"{self.premises[order['premise_id']]['address']}."
            )
        if self._node_free(node) <= 0:
            return _refused(f"{node['code']} has no free port.")
        if self._loss_at(node, self.premises[order["premise_id"]]) > self.profiles[order["profile_id"]]["max_loss"]:
            return _refused(
                f"From {node['code']} the loss is {self._loss_at(node, self.premises[order['premise_id']])} and "
                f"{self.profiles[order['profile_id']]['name']} bears "
                f"{self.profiles[order['profile_id']]['max_loss']}."
            )
        self._journal = []
        former_node_id = order["node_id"]
        self._put("orders", order, "node_id", node_id)
        self._put("orders", order, "status", "reserved")
        for one_node in _distinct([self.nodes.get(order["node_id"]), self.nodes.get(former_node_id)]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        for one_visit in _distinct(self._visits_by_order_status.get((order["id"], "planned"), {}).values()):
            if self._breaks_rule_7_v_again(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_12(order):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: reserve a port on {node['code']} for {order['customer']}.",
            "data": self._changes(),
        }

    def book_visit(
        self,
        order_id: str,
        technician_id: str,
        on: Date,
        half: Literal["morning", "afternoon"],
    ) -> Result:
        """Book the visit of a technician for an order with a port.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.
            on (str): Day of the visit, from tomorrow on, within 30 days and no Sunday, as YYYY-MM-DD.
            half (str): Half of the day in which the technician comes: morning or afternoon.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if order["status"] != "reserved":
            return _refused(f"The order of {order['customer']} is {order['status']}.")
        if not ((self.now[:10] < on and on <= _plus_days(self.now[:10], 30)) and _weekday(on) <= 6):
            return _refused("Visits are booked from tomorrow on for 30 days, and never for a Sunday.")
        if not technician["splices"] and self.premises[order["premise_id"]]["drop_m"] > 150:
            return _refused(
                f"The drop at {self.premises[order['premise_id']]['address']} is "
                f"{self.premises[order['premise_id']]['drop_m']} metres long and {technician['name']} does not "
                "splice."
            )
        if self._busy(technician, on, half):
            return _refused(f"{technician['name']} has a visit on {on} in the {half}.")
        self._journal = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "order_id": order_id,
            "technician_id": technician_id,
            "visit_on": on,
            "half": half,
            "measured": None,
            "status": "planned",
        }
        self._add("visits", visit)
        self._put("orders", order, "status", "scheduled")
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        for one_visit in _distinct([visit, *self._visits_by_order_status.get((order["id"], "planned"), {}).values()]):
            if self._breaks_rule_7_v_again(one_visit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(visit):
            return self._take_back(RULES[9])
        if self._breaks_rule_12(order):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {technician['name']} for {order['customer']} on {on} in the {half} (new: visit "
                f"{visit['id']})."
            ),
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def move_visit(
        self,
        visit_id: str,
        technician_id: str | None = None,
        on: Date | None = None,
        half: Literal["morning", "afternoon"] | None = None,
    ) -> Result:
        """Give a planned visit to another technician, another day or another half of the day.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            technician_id (str, optional): Technician who makes the visit instead; an id such as TECHNICIAN-00001.
                If left out, the technician stays.
            on (str, optional): New day of the visit, within 30 days and no Sunday, as YYYY-MM-DD. If left out, the
                day stays as it is.
            half (str, optional): New half of the day for the visit: morning or afternoon. If left out, the half of
                the day stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        technician = self.technicians.get(technician_id) if technician_id is not None else None
        if technician_id is not None and technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self.orders[visit['order_id']]['customer']} is {visit['status']}.")
        if technician_id is None and on is None and half is None:
            return _refused("Say what is to be changed.")
        who = technician or self.technicians[visit["technician_id"]]
        then = on if on is not None else visit["visit_on"]
        part = half if half is not None else visit["half"]
        if not ((self.now[:10] <= then and then <= _plus_days(self.now[:10], 30)) and _weekday(then) <= 6):
            return _refused("Visits are made within 30 days, and never on a Sunday.")
        if not who["splices"] and self.premises[self.orders[visit["order_id"]]["premise_id"]]["drop_m"] > 150:
            return _refused(
                f"The drop at {self.premises[self.orders[visit['order_id']]['premise_id']]['address']} is "
                f"{self.premises[self.orders[visit['order_id']]['premise_id']]['drop_m']} metres long and "
                f"{who['name']} does not splice."
            )
        if any(
            v["visit_on"] == then
            for v in self._visits_by_technician_half_status.get((who["id"], part, "planned"), {}).values()
            if v is not visit
        ):
            return _refused(f"{who['name']} has another visit on {then} in the {part}.")
        self._journal = []
        self._put("visits", visit, "technician_id", who["id"])
        self._put("visits", visit, "visit_on", then)
        self._put("visits", visit, "half", part)
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(visit):
            return self._take_back(RULES[9])
        done = f"move the visit to {self.orders[visit['order_id']]['customer']}"
        if technician is not None:
            done += f" to {technician['name']}"
        if on is not None:
            done += f" to {on}"
        if half is not None:
            done += f" to the {half}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def finish_visit(
        self,
        visit_id: str,
        measured: Annotated[int, {"minimum": 50, "maximum": 500}] | None = None,
        ont: Text | None = None,
    ) -> Result:
        """Close a visit with the loss that was measured, or without one where nobody was in; the order goes live only
        where the measured loss is within its profile, with the serial number of the box (ONT) that was put up.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            measured (int, optional): Loss measured at the home in tenths of a decibel, from 50 to 500. If left
                out, the visit counts as failed, as where nobody was in.
            ont (str, optional): Serial number of the box (ONT) put up, needed where the line goes live. If left
                out, no box is recorded.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self.orders[visit['order_id']]['customer']} is {visit['status']}.")
        if visit["visit_on"] > self.now[:10]:
            return _refused(f"The visit to {self.orders[visit['order_id']]['customer']} is on {visit['visit_on']}.")
        order = self.orders[visit["order_id"]]
        fault = None if order["node_id"] is None else self._fault_over(self.nodes[order["node_id"]])
        if measured is not None and fault is not None:
            return _refused(
                f"The line of {order['customer']} is dark until the outage of "
                f"{self.nodes[fault['node_id']]['code']} is cleared, so nothing can be measured."
            )
        if measured is not None and measured <= self.profiles[order["profile_id"]]["max_loss"] and ont is None:
            return _refused(
                f"The line of {order['customer']} goes live only with the serial number of the box (ONT) at the home."
            )
        if not (
            ont is None
            or not any(o is not order for o in self._orders_by_ont_status.get((ont, "live"), {}).values())
        ):
            return _refused(f"The box {ont} is in use at another home.")
        self._journal = []
        changed_visits: list[Any] = []
        changed_orders: list[Any] = []
        changed_orders_2: list[Any] = []
        self._put("visits", visit, "measured", measured)
        if measured is not None and measured <= self.profiles[order["profile_id"]]["max_loss"]:
            changed_visits.append(visit)
            self._put("visits", visit, "status", "done")
            changed_orders.append(order)
            self._put("orders", order, "ont", ont)
            self._put("orders", order, "live_on", self.now[:10])
            if order["status"] not in ("scheduled", "live"):
                return self._take_back(f"Order {order['customer']} cannot go from {order['status']} to live.")
            changed_orders_2.append(order)
            self._put("orders", order, "status", "live")
        else:
            if visit["status"] not in ("planned", "failed"):
                return self._take_back(f"Visit {visit['id']} cannot go from {visit['status']} to failed.")
            changed_visits.append(visit)
            self._put("visits", visit, "status", "failed")
            if order["status"] not in ("placed", "reserved", "scheduled"):
                return self._take_back(f"Order {order['customer']} cannot go from {order['status']} to reserved.")
            changed_orders_2.append(order)
            self._put("orders", order, "status", "reserved")
        for one_order in _distinct(changed_orders_2):
            if self._breaks_rule_3(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders_2):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_7_v(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(
            [
                *changed_visits,
                *[
                    user
                    for one in changed_orders_2
                    for user in self._visits_by_order_status.get((one["id"], "planned"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7_v_again(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_9(one_visit):
                return self._take_back(RULES[8])
        for one_order in _distinct([*changed_orders, *changed_orders_2]):
            if self._breaks_rule_12(one_order):
                return self._take_back(RULES[11])
        done = f"close the visit to {self.orders[visit['order_id']]['customer']}"
        if measured is not None:
            done += f" with a loss of {measured}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def withdraw_order(self, order_id: str) -> Result:
        """Cancel an order, or end the service of one that is live; its port becomes free.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if not self._standing(order):
            return _refused(f"The order of {order['customer']} is {order['status']} already.")
        self._journal = []
        changed_visits: list[Any] = []
        for v in sorted(self._visits_by_order_status.get((order_id, "planned"), {}).values(), key=_age):
            if v["status"] not in ("planned", "dropped"):
                return self._take_back(f"Visit {v['id']} cannot go from {v['status']} to dropped.")
            changed_visits.append(v)
            self._put("visits", v, "status", "dropped")
        former_node_id = order["node_id"]
        self._put("orders", order, "node_id", None)
        status = "ended" if order["status"] == "live" else "cancelled"
        if order["status"] != status and (order["status"], status) not in ORDER_STATUS_MOVES:
            return self._take_back(f"Order {order['customer']} cannot go from {order['status']} to {status}.")
        self._put("orders", order, "status", status)
        for one_node in _distinct([self.nodes.get(order["node_id"]), self.nodes.get(former_node_id)]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_7_v(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(
            [*changed_visits, *self._visits_by_order_status.get((order["id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_7_v_again(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_9(one_visit):
                return self._take_back(RULES[8])
        if self._breaks_rule_12(order):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: withdraw the order of {order['customer']} at {self.premises[order['premise_id']]['address']}."
            ),
            "data": self._changes(),
        }

    def rehang_line(self, order_id: str, node_id: str) -> Result:
        """Hang an order that holds a port on another splitter of its cabinet.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            node_id (str): Id of the node, such as NODE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        if order["node_id"] is None:
            return _refused(f"The order of {order['customer']} is {order['status']} and holds no port.")
        if node_id == order["node_id"]:
            return _refused(f"{order['customer']} hangs on {node['code']} already.")
        if not self._serves(node, self.premises[order["premise_id"]]):
            return _refused(
                f"{node['code']} is no splitter of cabinet "
                f"{self.nodes[self.premises[order['premise_id']]['cabinet_id']]['code']}, which serves "
                f"{self.premises[order['premise_id']]['address']}."
            )
        if self._node_free(node) <= 0:
            return _refused(f"{node['code']} has no free port.")
        if self._loss_at(node, self.premises[order["premise_id"]]) > self.profiles[order["profile_id"]]["max_loss"]:
            return _refused(
                f"From {node['code']} the loss is {self._loss_at(node, self.premises[order['premise_id']])} and "
                f"{self.profiles[order['profile_id']]['name']} bears "
                f"{self.profiles[order['profile_id']]['max_loss']}."
            )
        self._journal = []
        former_node_id = order["node_id"]
        self._put("orders", order, "node_id", node_id)
        for one_node in _distinct([self.nodes.get(order["node_id"]), self.nodes.get(former_node_id)]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: hang {order['customer']} on {node['code']}.",
            "data": self._changes(),
        }

    def change_profile(self, order_id: str, profile_id: str) -> Result:
        """Give an order another profile.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            profile_id (str): Id of the profile, such as PROFILE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        profile = self.profiles.get(profile_id)
        if profile is None:
            return _refused(f"There is no profile {profile_id!r}.")
        if not self._standing(order):
            return _refused(f"The order of {order['customer']} is {order['status']}.")
        if profile_id == order["profile_id"]:
            return _refused(f"{order['customer']} has {profile['name']} already.")
        if self._order_loss(order) > profile["max_loss"]:
            return _refused(
                f"The loss at {self.premises[order['premise_id']]['address']} is {self._order_loss(order)} and "
                f"{profile['name']} bears {profile['max_loss']}, so another splitter is needed first."
            )
        self._journal = []
        self._put("orders", order, "profile_id", profile_id)
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: change {order['customer']} to {profile['name']}.",
            "data": self._changes(),
        }

    def add_splitter(
        self,
        parent_id: str,
        code: Text,
        ports: Annotated[int, {"minimum": 2, "maximum": 16}],
        fibre_m: Annotated[int, {"minimum": 0, "maximum": 2000}],
    ) -> Result:
        """Put a splitter on a free port of another one.

        Args:
            parent_id (str): Node with a free port to which the splitter is connected; an id such as NODE-00001.
            code (str): Code of the new splitter, not in use yet.
            ports (int): Outgoing ports of the splitter (2, 4, 8 or 16), from 2 to 16.
            fibre_m (int): Length of the fibre from the node above in metres, from 0 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parent = self.nodes.get(parent_id)
        if parent is None:
            return _refused(f"There is no node {parent_id!r}.")
        if self._nodes_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a node {code} already.")
        if self._node_free(parent) <= 0:
            return _refused(f"{parent['code']} has no free port.")
        if ports not in (2, 4, 8, 16):
            return _refused("Splitters have 2, 4, 8 or 16 ports.")
        if len(_above(self.nodes, parent, "parent_id")) > 2:
            return _refused(f"{parent['code']} is deep enough in the tree.")
        done = f"add splitter {code} with {ports} ports below {parent['code']}"
        self._journal = []
        node: Node = {
            "id": self._new_id("node", "NODE", self.nodes),
            "code": code,
            "kind": "splitter",
            "parent_id": parent_id,
            "ports": ports,
            "loss": 36 if ports == 2 else 72 if ports == 4 else 105 if ports == 8 else 137,
            "fibre_m": fibre_m,
        }
        self._add("nodes", node)
        if len(self._nodes_by_code.get(node["code"], {})) > 1:
            return self._take_back(f"There is already a node with the code {node['code']!r}.")
        for one_node in _distinct([node, self.nodes.get(node["parent_id"])]):
            if self._breaks_rule_1(one_node):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(node):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: {done} (new: node {node['id']}).",
            "data": {"node_id": node["id"], **self._changes()},
        }

    def report_outage(self, node_id: str, cause: Literal["cable_cut", "power", "card_fault", "water"]) -> Result:
        """Report that a node is dark; open outages further down its branch are merged into this one.

        Args:
            node_id (str): Id of the node, such as NODE-00001.
            cause (str): What made the node go dark: cable_cut, power, card_fault or water.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        node = self.nodes.get(node_id)
        if node is None:
            return _refused(f"There is no node {node_id!r}.")
        over = self._fault_over(node)
        if over is not None:
            return _refused(f"{node['code']} is dark already because of {self.nodes[over['node_id']]['code']}.")
        self._journal = []
        changed_outages: list[Any] = []
        changed_outages_2: list[Any] = []
        fault: Outage = {
            "id": self._new_id("outage", "OUTAGE", self.outages),
            "node_id": node_id,
            "cause": cause,
            "opened_at": self.now,
            "merged_into_id": None,
            "repaired_by_id": None,
            "cleared_at": None,
            "status": "open",
        }
        self._add("outages", fault)
        for f in [
            f
            for f in sorted(
                _distinct(
                    [
                        f
                        for key in [record["id"] for record in _below(self._nodes_by_parent, node)]
                        for f in self._outages_by_node.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if f["status"] == "open"
            and f is not fault
        ]:
            changed_outages.append(f)
            self._put("outages", f, "merged_into_id", fault["id"])
            if f["status"] not in ("open", "merged"):
                return self._take_back(f"Outage {f['id']} cannot go from {f['status']} to merged.")
            changed_outages_2.append(f)
            self._put("outages", f, "status", "merged")
        for one_outage in _distinct([fault, *changed_outages_2]):
            if self._breaks_rule_11_a(one_outage):
                return self._take_back(RULES[10])
        for one_outage in _distinct([fault, *changed_outages_2]):
            if self._breaks_rule_11_b(one_outage):
                return self._take_back(RULES[10])
        for one_outage in _distinct([fault, *changed_outages, *changed_outages_2]):
            if self._breaks_rule_13(one_outage):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: report an outage of {node['code']} because of {cause} (new: outage {fault['id']}).",
            "data": {"outage_id": fault["id"], **self._changes()},
        }

    def clear_outage(self, outage_id: str, technician_id: str) -> Result:
        """Clear an open outage once somebody has repaired it.

        Args:
            outage_id (str): Id of the outage, such as OUTAGE-00001.
            technician_id (str): Id of the technician, such as TECHNICIAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        outage = self.outages.get(outage_id)
        if outage is None:
            return _refused(f"There is no outage {outage_id!r}.")
        technician = self.technicians.get(technician_id)
        if technician is None:
            return _refused(f"There is no technician {technician_id!r}.")
        if outage["status"] != "open":
            return _refused(f"The outage of {self.nodes[outage['node_id']]['code']} is {outage['status']}.")
        if outage["cause"] in ("cable_cut", "water") and not technician["splices"]:
            return _refused(
                f"{outage['cause']} at {self.nodes[outage['node_id']]['code']} needs somebody who splices, and "
                f"{technician['name']} does not."
            )
        self._journal = []
        self._put("outages", outage, "repaired_by_id", technician_id)
        self._put("outages", outage, "cleared_at", self.now)
        self._put("outages", outage, "status", "cleared")
        if self._breaks_rule_11_a(outage):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(outage):
            return self._take_back(RULES[10])
        if self._breaks_rule_13(outage):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: clear the outage of {self.nodes[outage['node_id']]['code']}, repaired by "
                f"{technician['name']}."
            ),
            "data": self._changes(),
        }

    def _show_node(self, node: Node) -> dict[str, Any]:
        """The node as an answer shows it."""
        return {**node, "path_loss": self._node_path_loss(node), "free": self._node_free(node)}

    def _show_technician(self, technician: Technician) -> dict[str, Any]:
        """The technician as an answer shows it."""
        return {**technician, "visits_ahead": self._technician_visits_ahead(technician)}

    def _show_order(self, order: Order) -> dict[str, Any]:
        """The order as an answer shows it."""
        return {**order, "loss": self._order_loss(order)}

    def _names_of_nodes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that nodes point to."""
        return _names((self.nodes, "code", [row["parent_id"] for row in shown]))

    def _names_of_premises(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that premises point to."""
        return _names((self.nodes, "code", [row["cabinet_id"] for row in shown]))

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.premises, "address", [row["premise_id"] for row in shown]),
            (self.profiles, "name", [row["profile_id"] for row in shown]),
            (self.nodes, "code", [row["node_id"] for row in shown]),
        )

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names(
            (self.orders, "customer", [row["order_id"] for row in shown]),
            (self.technicians, "name", [row["technician_id"] for row in shown]),
        )

    def _names_of_outages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that outages point to."""
        return _names(
            (self.nodes, "code", [row["node_id"] for row in shown]),
            (self.technicians, "name", [row["repaired_by_id"] for row in shown]),
        )

    def _node_path_loss(self, node: Node) -> int:
        """The path loss of a node."""
        return (
            node["loss"]
            + ceil(Fraction(node["fibre_m"] * 35, 10000))
            + sum(a["loss"] + ceil(Fraction(a["fibre_m"] * 35, 10000)) for a in _above(self.nodes, node, "parent_id"))
        )

    def _node_free(self, node: Node) -> int:
        """The free of a node."""
        return (
            node["ports"]
            - len(self._nodes_by_parent.get(node["id"], {}))
            - len(self._orders_by_node.get(node["id"], {}))
        )

    def _technician_visits_ahead(self, technician: Technician) -> int:
        """The visits ahead of a technician."""
        return len(self._visits_by_technician_status.get((technician["id"], "planned"), {}))

    def _order_loss(self, order: Order) -> int:
        """The loss of an order."""
        return (
            0
            if order["node_id"] is None
            else self._loss_at(self.nodes[order["node_id"]], self.premises[order["premise_id"]])
        )

    def _loss_at(self, n: Node, p: Premise) -> int:
        return self._node_path_loss(n) + ceil(Fraction(p["drop_m"] * 35, 10000)) + 10

    def _serves(self, n: Node, p: Premise) -> bool:
        return (
            n["kind"] == "splitter"
            and (n["id"] == p["cabinet_id"] or self.nodes[p["cabinet_id"]] in _above(self.nodes, n, "parent_id"))
        )

    def _fit(self, n: Node, p: Premise, f: Profile) -> bool:
        return self._serves(n, p) and self._node_free(n) > 0 and self._loss_at(n, p) <= f["max_loss"]

    def _best(self, p: Premise, f: Profile) -> Node | None:
        return next(
            (
                n
                for n in _those(
                    self.nodes,
                    [
                        p["cabinet_id"],
                        *[record["id"] for record in _below(self._nodes_by_parent, self.nodes[p["cabinet_id"]])],
                    ],
                )
                if self._fit(n, p, f)
                and all(
                    self._loss_at(m, p) > self._loss_at(n, p)
                    for m in _those(
                        self.nodes,
                        [
                            p["cabinet_id"],
                            *[record["id"] for record in _below(self._nodes_by_parent, self.nodes[p["cabinet_id"]])],
                        ],
                    )
                    if m is not n
                    and self._fit(m, p, f)
                )
            ),
            None,
        )

    def _could_take(self, n: Node) -> list[Order]:
        return [
            o
            for o in sorted(
                _distinct(
                    [
                        o
                        for key in [n["id"], *[record["id"] for record in _above(self.nodes, n, "parent_id")]]
                        for _premise in self._premises_by_cabinet.get(key, {}).values()
                        for o in self._orders_by_premise.get(_premise["id"], {}).values()
                    ]
                ),
                key=_age,
            )
            if o["status"] == "placed"
            and self._serves(n, self.premises[o["premise_id"]])
            and self._loss_at(n, self.premises[o["premise_id"]]) <= self.profiles[o["profile_id"]]["max_loss"]
        ]

    def _standing(self, o: Order) -> bool:
        return o["status"] in ("placed", "reserved", "scheduled", "live")

    def _fault_over(self, n: Node) -> Outage | None:
        return next(
            (
                f
                for f in sorted(
                    _distinct(
                        [
                            f
                            for key in [n["id"], *[record["id"] for record in _above(self.nodes, n, "parent_id")]]
                            for f in self._outages_by_node.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if f["status"] == "open"
            ),
            None,
        )

    def _behind(self, n: Node) -> list[Order]:
        return [
            o
            for o in sorted(
                _distinct(
                    [
                        o
                        for key in [n["id"], *[record["id"] for record in _below(self._nodes_by_parent, n)]]
                        for o in self._orders_by_node.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if o["status"] == "live"
            and o["node_id"] is not None
        ]

    def _busy(self, t: Technician, d: str, h: str) -> bool:
        return any(
            v["status"] == "planned"
            and v["visit_on"] == d
            and v["half"] == h
            for v in self._visits_by_technician.get(t["id"], {}).values()
        )

    def _breaks_rule_1(self, n: Node) -> bool:
        """Whether this is broken: nothing hangs on a splitter beyond its ports."""
        return self._node_free(n) < 0

    def _breaks_rule_2(self, n: Node) -> bool:
        """Whether this is broken: only an exchange stands at the top of the tree."""
        return (n["kind"] == "exchange") != (n["parent_id"] is None)

    def _breaks_rule_3(self, o: Order) -> bool:
        """Whether this is broken: a home has at most one order that is under way or live."""
        return (
            self._standing(o)
            and any(
                other_o is not o
                for other_o in self._orders_by_premise.get(o["premise_id"], {}).values()
                if self._standing(other_o)
            )
        )

    def _breaks_rule_4(self, o: Order) -> bool:
        """Whether this is broken: an order holds a port from its reservation until it is cancelled or ended, and no
        longer.
        """
        return (o["node_id"] is not None) != (o["status"] in ("reserved", "scheduled", "live"))

    def _breaks_rule_5(self, o: Order) -> bool:
        """Whether this is broken: a home is served only by splitters of its own cabinet."""
        return not (o["node_id"] is None or self._serves(self.nodes[o["node_id"]], self.premises[o["premise_id"]]))

    def _breaks_rule_6(self, o: Order) -> bool:
        """Whether this is broken: the loss on the way to a home never exceeds what its profile bears."""
        return o["node_id"] is not None and self._order_loss(o) > self.profiles[o["profile_id"]]["max_loss"]

    def _breaks_rule_7_v(self, v: Visit) -> bool:
        """Whether this is broken: planned visits are for scheduled orders, one for each at a time."""
        return (
            v["status"] == "planned"
            and any(
                other_v is not v
                for other_v in self._visits_by_order_status.get((v["order_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_7_v_again(self, v: Visit) -> bool:
        """Whether this is broken: planned visits are for scheduled orders, one for each at a time."""
        return v["status"] == "planned" and self.orders[v["order_id"]]["status"] != "scheduled"

    def _breaks_rule_8(self, v: Visit) -> bool:
        """Whether this is broken: a technician makes one visit in half a day."""
        return (
            v["status"] == "planned"
            and any(
                other_v is not v
                for other_v in self._visits_by_technician_half_status.get(
                    (v["technician_id"], v["half"], "planned"),
                    {},
                ).values()
                if other_v["visit_on"] == v["visit_on"]
            )
        )

    def _breaks_rule_9(self, v: Visit) -> bool:
        """Whether this is broken: drops of more than 150 metres are made by technicians who splice."""
        return (
            v["status"] == "planned"
            and (
                not self.technicians[v["technician_id"]]["splices"]
                and self.premises[self.orders[v["order_id"]]["premise_id"]]["drop_m"] > 150
            )
        )

    def _breaks_rule_10(self, v: Visit) -> bool:
        """Whether this is broken: there are no visits on Sundays."""
        return _weekday(v["visit_on"]) > 6

    def _breaks_rule_11_a(self, a: Outage) -> bool:
        """Whether this is broken: no open outage lies on the branch below another one."""
        return (
            a["status"] == "open"
            and any(
                a["node_id"] == b["node_id"]
                or self.nodes[b["node_id"]] in _above(self.nodes, self.nodes[a["node_id"]], "parent_id")
                for b in self._outages_by_status.get("open", {}).values()
                if a is not b
            )
        )

    def _breaks_rule_11_b(self, b: Outage) -> bool:
        """Whether this is broken: no open outage lies on the branch below another one."""
        return (
            b["status"] == "open"
            and any(
                a["node_id"] == b["node_id"]
                or self.nodes[b["node_id"]] in _above(self.nodes, self.nodes[a["node_id"]], "parent_id")
                for a in self._outages_by_status.get("open", {}).values()
                if a is not b
            )
        )

    def _breaks_rule_12(self, o: Order) -> bool:
        """Whether this is broken: a box is in use at one home only."""
        return (
            o["status"] == "live"
            and o["ont"] is not None
            and any(
                other_o is not o
                for other_o in self._orders_by_ont_status.get((o["ont"], "live"), {}).values()
                if other_o["ont"] is not None
            )
        )

    def _breaks_rule_13(self, f: Outage) -> bool:
        """Whether this is broken: a merged outage says into which one, and a cleared one who repaired it."""
        return (
            (f["status"] == "merged") != (f["merged_into_id"] is not None)
            or (f["status"] == "cleared") != (f["repaired_by_id"] is not None)
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
            case "nodes":
                self._nodes_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._nodes_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
                self._nodes_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "premises":
                self._premises_by_cabinet.setdefault(record["cabinet_id"], {})[record["id"]] = record
            case "orders":
                self._orders_by_node.setdefault(record["node_id"], {})[record["id"]] = record
                self._orders_by_ont_status.setdefault((record["ont"], record["status"]), {})[record["id"]] = record
                self._orders_by_premise.setdefault(record["premise_id"], {})[record["id"]] = record
                self._orders_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "visits":
                self._visits_by_order_status.setdefault((record["order_id"], record["status"]), {})[record["id"]] = record
                self._visits_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._visits_by_technician.setdefault(record["technician_id"], {})[record["id"]] = record
                self._visits_by_technician_half_status.setdefault(
                    (record["technician_id"], record["half"], record["status"]),
                    {},
                )[record["id"]] = record
                self._visits_by_technician_status.setdefault(
                    (record["technician_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "outages":
                self._outages_by_node.setdefault(record["node_id"], {})[record["id"]] = record
                self._outages_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "nodes":
                del self._nodes_by_code[record["code"]][record["id"]]
                del self._nodes_by_lower_code[record["code"].lower()][record["id"]]
                del self._nodes_by_parent[record["parent_id"]][record["id"]]
            case "premises":
                del self._premises_by_cabinet[record["cabinet_id"]][record["id"]]
            case "orders":
                del self._orders_by_node[record["node_id"]][record["id"]]
                del self._orders_by_ont_status[record["ont"], record["status"]][record["id"]]
                del self._orders_by_premise[record["premise_id"]][record["id"]]
                del self._orders_by_status[record["status"]][record["id"]]
            case "visits":
                del self._visits_by_order_status[record["order_id"], record["status"]][record["id"]]
                del self._visits_by_status[record["status"]][record["id"]]
                del self._visits_by_technician[record["technician_id"]][record["id"]]
                del self._visits_by_technician_half_status[
                    record["technician_id"],
                    record["half"],
                    record["status"],
                ][record["id"]]
                del self._visits_by_technician_status[record["technician_id"], record["status"]][record["id"]]
            case "outages":
                del self._outages_by_node[record["node_id"]][record["id"]]
                del self._outages_by_status[record["status"]][record["id"]]
