"""Apparel cutting. Compiled from blueprint.yaml; run `envscaler build apparel_cutting` after changing it there.

Cuts and sews garment orders, with size ratios, lays of many plies, fabric rolls of one shade, bundles that go
through sewing lines, and seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A lay is spread from rolls of the fabric and colour of its order, all of its one shade.",
    "No more plies are spread than the lay has.",
    "A roll is used once in a lay.",
    "A size occurs once in an order and once in the ratio of a lay.",
    "Only sizes that were ordered are laid, and at most three percent more than was ordered.",
    "Bundles come from lays that were cut, with one piece from each ply.",
    "The bundles of a lay have different numbers and follow its ratio.",
    "A bundle is with a line exactly while it is sewn there.",
    "A line sews only the garments it knows.",
    "A line never has more pieces in work than it can take.",
    "No bundle has more seconds than pieces, and none before it is sewn.",
    "A shipped order has 97 percent of its pieces in good quality, 90 percent of each size, and no lay that is only planned.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_lay",
    "spread_roll",
    "cut_lay",
    "drop_lay",
    "issue_bundles",
    "move_bundle",
    "finish_bundle",
    "mend_seconds",
    "change_size",
    "ship_order",
    "reject_roll",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "orders": ("code",),
    "order_sizes": (),
    "rolls": ("code",),
    "lays": ("code",),
    "lay_ratios": (),
    "roll_uses": (),
    "bundles": (),
    "sewing_lines": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bundles", "lay_id"),
    ("bundles", "line_id"),
    ("bundles", "size"),
    ("bundles", "status"),
    ("lay_ratios", "lay_id"),
    ("lay_ratios", "size"),
    ("lays", "code"),
    ("lays", "order_id"),
    ("lays", "status"),
    ("order_sizes", "order_id"),
    ("order_sizes", "size"),
    ("roll_uses", "lay_id"),
    ("roll_uses", "roll_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Order(TypedDict):
    id: str
    code: str
    buyer: str
    garment: Literal["shirt", "trousers", "dress", "jacket"]
    fabric: Literal["poplin", "twill", "viscose", "flannel", "canvas"]
    colour: str
    cm_each: int
    due: str
    shipped_on: str | None


class OrderSize(TypedDict):
    id: str
    order_id: str
    size: Literal["XS", "S", "M", "L", "XL"]
    pieces: int


class Roll(TypedDict):
    id: str
    code: str
    fabric: Literal["poplin", "twill", "viscose", "flannel", "canvas"]
    colour: str
    shade: Literal["A", "B", "C"]
    cm: int
    rejected: bool


class Lay(TypedDict):
    id: str
    code: str
    order_id: str
    shade: Literal["A", "B", "C"]
    plies: int
    status: Literal["planned", "cut"]


class LayRatio(TypedDict):
    id: str
    lay_id: str
    size: Literal["XS", "S", "M", "L", "XL"]
    per_ply: int


class RollUse(TypedDict):
    id: str
    lay_id: str
    roll_id: str
    plies: int


class Bundle(TypedDict):
    id: str
    lay_id: str
    number: int
    size: Literal["XS", "S", "M", "L", "XL"]
    pieces: int
    line_id: str | None
    seconds: int
    status: Literal["cut", "sewing", "sewn"]


class SewingLine(TypedDict):
    id: str
    name: str
    sews: list[Literal["shirt", "trousers", "dress", "jacket"]]
    most_pieces: int


class PlanLayRatio(TypedDict):
    size: Literal["XS", "S", "M", "L", "XL"]
    per_ply: Annotated[int, {"minimum": 1, "maximum": 8}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class ApparelCutting:
    """Cuts and sews garment orders, with size ratios, lays of many plies, fabric rolls of one shade,
    bundles that go through sewing lines, and seconds.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.order_sizes: dict[str, OrderSize] = _copied(config.get("order_sizes", {}))
        self.rolls: dict[str, Roll] = _copied(config.get("rolls", {}))
        self.lays: dict[str, Lay] = _copied(config.get("lays", {}))
        self.lay_ratios: dict[str, LayRatio] = _copied(config.get("lay_ratios", {}))
        self.roll_uses: dict[str, RollUse] = _copied(config.get("roll_uses", {}))
        self.bundles: dict[str, Bundle] = _copied(config.get("bundles", {}))
        self.sewing_lines: dict[str, SewingLine] = _copied(config.get("sewing_lines", {}))
        self.now: str = config.get("now", "2026-11-10T07:15")
        self.counters: dict[str, int] = {
            "order": len(self.orders),
            "order_size": len(self.order_sizes),
            "roll": len(self.rolls),
            "lay": len(self.lays),
            "lay_ratio": len(self.lay_ratios),
            "roll_use": len(self.roll_uses),
            "bundle": len(self.bundles),
            "sewing_line": len(self.sewing_lines),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._order_sizes_by_order: dict[Any, dict[str, OrderSize]] = {}
        self._order_sizes_by_order_size: dict[Any, dict[str, OrderSize]] = {}
        self._lays_by_code: dict[Any, dict[str, Lay]] = {}
        self._lays_by_order: dict[Any, dict[str, Lay]] = {}
        self._lays_by_order_status: dict[Any, dict[str, Lay]] = {}
        self._lay_ratios_by_lay: dict[Any, dict[str, LayRatio]] = {}
        self._lay_ratios_by_lay_size: dict[Any, dict[str, LayRatio]] = {}
        self._roll_uses_by_lay: dict[Any, dict[str, RollUse]] = {}
        self._roll_uses_by_lay_roll: dict[Any, dict[str, RollUse]] = {}
        self._bundles_by_lay: dict[Any, dict[str, Bundle]] = {}
        self._bundles_by_lay_size: dict[Any, dict[str, Bundle]] = {}
        self._bundles_by_lay_size_status: dict[Any, dict[str, Bundle]] = {}
        self._bundles_by_lay_status: dict[Any, dict[str, Bundle]] = {}
        self._bundles_by_line_status: dict[Any, dict[str, Bundle]] = {}
        for order_size in self.order_sizes.values():
            self._link("order_sizes", order_size)
        for lay in self.lays.values():
            self._link("lays", lay)
        for lay_ratio in self.lay_ratios.values():
            self._link("lay_ratios", lay_ratio)
        for roll_use in self.roll_uses.values():
            self._link("roll_uses", roll_use)
        for bundle in self.bundles.values():
            self._link("bundles", bundle)

    def rolls_for_lay(self, lay_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Rolls of the right cloth and shade for a lay, the ones with the least left first, with the plies they still
        give.

        Args:
            lay_id (str): Id of the lay, such as LAY-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rolls": records}} or {"success": False, "error": why
                not}
        """
        lay = self.lays.get(lay_id)
        if lay is None:
            return _refused(f"There is no lay {lay_id!r}.")
        found = [r for r in self.rolls.values() if (self._matches(r, lay) and r["cm"] > 0)]
        found.sort(key=lambda r: (r["cm"], r["code"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rolls": [
                    {
                        "id": r["id"],
                        "code": r["code"],
                        "cm": r["cm"],
                        "plies": floor(Fraction(r["cm"], max(self._lay_length(lay), 1))),
                        "used_in_lay": bool(self._roll_uses_by_lay_roll.get((lay_id, r["id"]), {})),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def order_progress(self, order_id: str) -> Result:
        """How far an order is.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "data": {order, ordered, good, complete, waiting_to_be_sewn, in_sewing,
                seconds, open_lay}} or {"success": False, "error": why not}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        answer = {
            "order": order["code"],
            "ordered": self._order_ordered(order),
            "good": self._order_good(order),
            "complete": self._complete(order),
            "waiting_to_be_sewn": sum(
                b["pieces"]
                for _lay in self._lays_by_order.get(order_id, {}).values()
                for b in self._bundles_by_lay_status.get((_lay["id"], "cut"), {}).values()
            ),
            "in_sewing": sum(
                b["pieces"]
                for _lay in self._lays_by_order.get(order_id, {}).values()
                for b in self._bundles_by_lay_status.get((_lay["id"], "sewing"), {}).values()
            ),
            "seconds": sum(
                b["seconds"]
                for _lay in self._lays_by_order.get(order_id, {}).values()
                for b in self._bundles_by_lay.get(_lay["id"], {}).values()
            ),
            "open_lay": _id_of(self._open_lay(order)),
        }
        return _found(answer, _names((self.lays, "code", [row["open_lay"] for row in [answer]])))

    def bundles_of_order(
        self,
        order_id: str,
        status: Literal["cut", "sewing", "sewn"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The bundles of an order, by lay and number.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            status (str, optional): Only bundles with this status: cut, sewing or sewn. If left out, bundles of any
                status are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bundles": records}} or {"success": False, "error": why
                not}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        found = [
            b
            for b in [
                b
                for _lay in self._lays_by_order.get(order_id, {}).values()
                for b in self._bundles_by_lay.get(_lay["id"], {}).values()
            ]
            if (status is None or b["status"] == status)
        ]
        found.sort(key=lambda b: (self.lays[b["lay_id"]]["code"], b["number"], _age(b)))
        shown = [{**b} for b in _page(found, offset)]
        return _found({"total": len(found), "bundles": shown}, self._names_of_bundles(shown))

    def list_orders(
        self,
        code: Text | None = None,
        garment: Literal["shirt", "trousers", "dress", "jacket"] | None = None,
        fabric: Literal["poplin", "twill", "viscose", "flannel", "canvas"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            code (str, optional): Only orders whose code contains this text.
            garment (str, optional): Only orders with this garment.
            fabric (str, optional): Only orders with this fabric.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        found = [
            order
            for order in self.orders.values()
            if (code is None or code.casefold() in order["code"].casefold())
            and (garment is None or order["garment"] == garment)
            and (fabric is None or order["fabric"] == fabric)
        ]
        return _found({"total": len(found), "orders": [self._show_order(order) for order in _page(found, offset)]})

    def list_order_sizes(
        self,
        order_id: str | None = None,
        size: Literal["XS", "S", "M", "L", "XL"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the order sizes, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only order sizes of this order.
            size (str, optional): Only order sizes with this size.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "order_sizes": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        found = [
            order_size
            for order_size in self.order_sizes.values()
            if (order_id is None or order_size["order_id"] == order_id)
            and (size is None or order_size["size"] == size)
        ]
        shown = [self._show_order_size(order_size) for order_size in _page(found, offset)]
        return _found({"total": len(found), "order_sizes": shown}, self._names_of_order_sizes(shown))

    def list_rolls(
        self,
        code: Text | None = None,
        fabric: Literal["poplin", "twill", "viscose", "flannel", "canvas"] | None = None,
        shade: Literal["A", "B", "C"] | None = None,
        rejected: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rolls, oldest first, all of them or only some.

        Args:
            code (str, optional): Only rolls whose code contains this text.
            fabric (str, optional): Only rolls with this fabric.
            shade (str, optional): Only rolls with this shade.
            rejected (bool, optional): Only rolls that are rejected (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rolls": records}}
        """
        found = [
            roll
            for roll in self.rolls.values()
            if (code is None or code.casefold() in roll["code"].casefold())
            and (fabric is None or roll["fabric"] == fabric)
            and (shade is None or roll["shade"] == shade)
            and (rejected is None or roll["rejected"] == rejected)
        ]
        return _found({"total": len(found), "rolls": [{**roll} for roll in _page(found, offset)]})

    def list_lays(
        self,
        code: Text | None = None,
        order_id: str | None = None,
        shade: Literal["A", "B", "C"] | None = None,
        status: Literal["planned", "cut"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lays, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lays whose code contains this text.
            order_id (str, optional): Only lays of this order.
            shade (str, optional): Only lays with this shade.
            status (str, optional): Only lays with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lays": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        found = [
            lay
            for lay in self.lays.values()
            if (code is None or code.casefold() in lay["code"].casefold())
            and (order_id is None or lay["order_id"] == order_id)
            and (shade is None or lay["shade"] == shade)
            and (status is None or lay["status"] == status)
        ]
        shown = [self._show_lay(lay) for lay in _page(found, offset)]
        return _found({"total": len(found), "lays": shown}, self._names_of_lays(shown))

    def list_lay_ratios(
        self,
        lay_id: str | None = None,
        size: Literal["XS", "S", "M", "L", "XL"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lay ratios, oldest first, all of them or only some.

        Args:
            lay_id (str, optional): Only lay ratios of this lay.
            size (str, optional): Only lay ratios with this size.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lay_ratios": records}}
        """
        if lay_id is not None and lay_id not in self.lays:
            return _refused(f"There is no lay {lay_id!r}.")
        found = [
            lay_ratio
            for lay_ratio in self.lay_ratios.values()
            if (lay_id is None or lay_ratio["lay_id"] == lay_id)
            and (size is None or lay_ratio["size"] == size)
        ]
        shown = [{**lay_ratio} for lay_ratio in _page(found, offset)]
        return _found({"total": len(found), "lay_ratios": shown}, self._names_of_lay_ratios(shown))

    def list_roll_uses(
        self,
        lay_id: str | None = None,
        roll_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the roll uses, oldest first, all of them or only some.

        Args:
            lay_id (str, optional): Only roll uses of this lay.
            roll_id (str, optional): Only roll uses of this roll.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "roll_uses": records}}
        """
        if lay_id is not None and lay_id not in self.lays:
            return _refused(f"There is no lay {lay_id!r}.")
        if roll_id is not None and roll_id not in self.rolls:
            return _refused(f"There is no roll {roll_id!r}.")
        found = [
            roll_use
            for roll_use in self.roll_uses.values()
            if (lay_id is None or roll_use["lay_id"] == lay_id)
            and (roll_id is None or roll_use["roll_id"] == roll_id)
        ]
        shown = [{**roll_use} for roll_use in _page(found, offset)]
        return _found({"total": len(found), "roll_uses": shown}, self._names_of_roll_uses(shown))

    def list_bundles(
        self,
        lay_id: str | None = None,
        size: Literal["XS", "S", "M", "L", "XL"] | None = None,
        line_id: str | None = None,
        status: Literal["cut", "sewing", "sewn"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bundles, oldest first, all of them or only some.

        Args:
            lay_id (str, optional): Only bundles of this lay.
            size (str, optional): Only bundles with this size.
            line_id (str, optional): Only bundles whose line is this sewing line.
            status (str, optional): Only bundles with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bundles": records}}
        """
        if lay_id is not None and lay_id not in self.lays:
            return _refused(f"There is no lay {lay_id!r}.")
        if line_id is not None and line_id not in self.sewing_lines:
            return _refused(f"There is no sewing line {line_id!r}.")
        found = [
            bundle
            for bundle in self.bundles.values()
            if (lay_id is None or bundle["lay_id"] == lay_id)
            and (size is None or bundle["size"] == size)
            and (line_id is None or bundle["line_id"] == line_id)
            and (status is None or bundle["status"] == status)
        ]
        shown = [{**bundle} for bundle in _page(found, offset)]
        return _found({"total": len(found), "bundles": shown}, self._names_of_bundles(shown))

    def list_sewing_lines(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sewing lines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sewing lines whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sewing_lines": records}}
        """
        found = [
            sewing_line
            for sewing_line in self.sewing_lines.values()
            if (name is None or name.casefold() in sewing_line["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "sewing_lines": [self._show_sewing_line(sewing_line) for sewing_line in _page(found, offset)],
            }
        )

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_lay(
        self,
        order_id: str,
        code: Text,
        shade: Literal["A", "B", "C"],
        plies: Annotated[int, {"minimum": 1, "maximum": 80}],
        ratio: Annotated[list[PlanLayRatio], {"maxItems": 20}],
    ) -> Result:
        """Plan a lay for an order in one shade, with the number of plies and how often each size lies in a ply.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            code (str): Code of the new lay, not in use yet.
            shade (str): Shade of the fabric in which the lay is cut: A, B or C.
            plies (int): Layers of fabric in the lay, from 1 to 80.
            ratio (list): One entry for each size, each size once: size: size that the order contains: XS, S, M, L
                or XL; per_ply: pieces of this size in each ply, from 1 to 8.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["shipped_on"] is not None:
            return _refused(f"{order['code']} was shipped on {order['shipped_on']}.")
        if self._lays_by_code.get(code, {}):
            return _refused(f"There is a lay {code}.")
        if not (len(ratio) > 0 and _different([x["size"] for x in ratio])):
            return _refused("Name at least one size, and each once.")
        odd = next((x for x in ratio if not self._order_sizes_by_order_size.get((order_id, x["size"]), {})), None)
        if odd is not None:
            return _refused(f"Size {odd['size']} is not part of {order['code']}.")
        over = next(
            (
                z
                for z in sorted(self._order_sizes_by_order.get(order_id, {}).values(), key=_age)
                if (
                    self._order_size_planned(z)
                    + sum(x["per_ply"] * plies for x in ratio if x["size"] == z["size"]) > self._most_planned(z)
                )
            ),
            None,
        )
        if over is not None:
            return _refused(
                f"Of size {over['size']} {self._order_size_planned(over)} of {over['pieces']} pieces are laid "
                f"already, and no more than {self._most_planned(over)} may be."
            )
        if sum(x["per_ply"] for x in ratio) * order["cm_each"] > 1200:
            return _refused("The table is twelve metres long, so lay fewer garments side by side.")
        self._journal = []
        added_lay_ratios: list[Any] = []
        lay: Lay = {
            "id": self._new_id("lay", "LAY", self.lays),
            "code": code,
            "order_id": order_id,
            "shade": shade,
            "plies": plies,
            "status": "planned",
        }
        self._add("lays", lay)
        for x in sorted(ratio, key=lambda x: (x["size"],)):
            lay_ratio = {
                "id": self._new_id("lay_ratio", "LR", self.lay_ratios),
                "lay_id": lay["id"],
                "size": x["size"],
                "per_ply": x["per_ply"],
            }
            self._add("lay_ratios", lay_ratio)
            added_lay_ratios.append(lay_ratio)
        if len(self._lays_by_code.get(lay["code"], {})) > 1:
            return self._take_back(f"There is already a lay with the code {lay['code']!r}.")
        if self._breaks_rule_2(lay):
            return self._take_back(RULES[1])
        for one_lay_ratio in _distinct(added_lay_ratios):
            if self._breaks_rule_4_r(one_lay_ratio):
                return self._take_back(RULES[3])
        for one_order_size in _distinct(
            [
                user
                for one in [
                    self.orders[one["order_id"]]
                    for one in [self.lays[one["lay_id"]] for one in added_lay_ratios]
                ]
                for user in self._order_sizes_by_order.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_z(one_order_size):
                return self._take_back(RULES[4])
        for one_lay_ratio in _distinct(added_lay_ratios):
            if self._breaks_rule_5_r(one_lay_ratio):
                return self._take_back(RULES[4])
        for one_lay_ratio in _distinct(added_lay_ratios):
            if self._breaks_rule_7_r(one_lay_ratio):
                return self._take_back(RULES[6])
        if self._breaks_rule_12_l(lay):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: plan lay {code} of {plies} plies for {order['code']} in shade {shade} (new: lay {lay['id']})."
            ),
            "data": {"lay_id": lay["id"], **self._changes()},
        }

    def spread_roll(
        self,
        lay_id: str,
        roll_id: str,
        plies: Annotated[int, {"minimum": 1, "maximum": 80}] | None = None,
    ) -> Result:
        """Spread plies of a planned lay from a roll; as many as are still to be spread where no number is named.

        Args:
            lay_id (str): Id of the lay, such as LAY-00001.
            roll_id (str): Id of the roll, such as ROLL-00001.
            plies (int, optional): Plies to be spread from the roll, from 1 to 80. If left out, all that are still
                to be spread are taken.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lay = self.lays.get(lay_id)
        if lay is None:
            return _refused(f"There is no lay {lay_id!r}.")
        roll = self.rolls.get(roll_id)
        if roll is None:
            return _refused(f"There is no roll {roll_id!r}.")
        if lay["status"] != "planned":
            return _refused(f"Lay {lay['code']} is {lay['status']}.")
        if self._to_spread(lay) <= 0:
            return _refused(f"Lay {lay['code']} is spread completely.")
        if roll["rejected"]:
            return _refused(f"Roll {roll['code']} was rejected.")
        if (
            roll["fabric"] != self.orders[lay["order_id"]]["fabric"]
            or roll["colour"] != self.orders[lay["order_id"]]["colour"]
        ):
            return _refused(
                f"Roll {roll['code']} is {roll['colour']} {roll['fabric']}, and "
                f"{self.orders[lay['order_id']]['code']} is made of {self.orders[lay['order_id']]['colour']} "
                f"{self.orders[lay['order_id']]['fabric']}."
            )
        if roll["shade"] != lay["shade"]:
            return _refused(
                f"Roll {roll['code']} has shade {roll['shade']}, and lay {lay['code']} is cut in shade "
                f"{lay['shade']}."
            )
        if self._roll_uses_by_lay_roll.get((lay_id, roll_id), {}):
            return _refused(f"Roll {roll['code']} is in lay {lay['code']} already.")
        many = plies if plies is not None else self._to_spread(lay)
        if many > self._to_spread(lay):
            return _refused(f"Only {self._to_spread(lay)} plies of lay {lay['code']} are still to be spread.")
        if roll["cm"] < many * self._lay_length(lay):
            return _refused(
                f"Roll {roll['code']} has {roll['cm']} cm and {many} plies take {many * self._lay_length(lay)}, "
                f"so {floor(Fraction(roll['cm'], max(self._lay_length(lay), 1)))} plies are possible."
            )
        self._journal = []
        if not 1 <= many <= 80:
            return self._take_back("The plies of a roll use must be between 1 and 80.")
        roll_use: RollUse = {
            "id": self._new_id("roll_use", "RU", self.roll_uses),
            "lay_id": lay_id,
            "roll_id": roll_id,
            "plies": many,
        }
        self._add("roll_uses", roll_use)
        cm = roll["cm"] - many * self._lay_length(lay)
        if not 0 <= cm <= 60000:
            return self._take_back(f"The cm of {roll['code']} must be between 0 and 60000.")
        self._put("rolls", roll, "cm", cm)
        if self._breaks_rule_1(roll_use):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.lays[roll_use["lay_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(roll_use):
            return self._take_back(RULES[2])
        done = f"spread roll {roll['code']} in lay {lay['code']}"
        if plies is not None:
            done += f", {plies} plies"
        return {
            "success": True,
            "message": f"Done: {done} (new: roll use {roll_use['id']}).",
            "data": {"roll_use_id": roll_use["id"], **self._changes()},
        }

    def cut_lay(self, lay_id: str, short: bool = False) -> Result:
        """Cut a lay that is spread completely, or cut it short with the plies that are on the table; each size in its
        ratio gives bundles of one piece per ply.

        Args:
            lay_id (str): Id of the lay, such as LAY-00001.
            short (bool): Whether it is cut with fewer plies than planned. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lay = self.lays.get(lay_id)
        if lay is None:
            return _refused(f"There is no lay {lay_id!r}.")
        if lay["status"] != "planned":
            return _refused(f"Lay {lay['code']} is {lay['status']} already.")
        if not (self._to_spread(lay) == 0 or short):
            return _refused(
                f"Of lay {lay['code']} {self._to_spread(lay)} plies are still to be spread, so spread them or cut "
                "it short."
            )
        if self._lay_spread(lay) <= 0:
            return _refused(f"Not a ply of lay {lay['code']} is spread, so there is nothing to cut.")
        if sum(r["per_ply"] for r in self._lay_ratios_by_lay.get(lay_id, {}).values()) > 40:
            return _refused(f"Lay {lay['code']} would give more than forty bundles.")
        self._journal = []
        added_bundles: list[Any] = []
        plies = self._lay_spread(lay)
        if not 1 <= plies <= 80:
            return self._take_back(f"The plies of {lay['code']} must be between 1 and 80.")
        self._put("lays", lay, "plies", plies)
        self._put("lays", lay, "status", "cut")
        for r in sorted(self._lay_ratios_by_lay.get(lay_id, {}).values(), key=lambda r: (r["size"], _age(r))):
            for i in list(_numbers(0, r["per_ply"])):
                number = len(self._bundles_by_lay.get(lay_id, {})) + 1
                if not 1 <= number <= 40:
                    return self._take_back("The number of a bundle must be between 1 and 40.")
                bundle = {
                    "id": self._new_id("bundle", "BUNDLE", self.bundles),
                    "lay_id": lay_id,
                    "number": number,
                    "size": r["size"],
                    "pieces": lay["plies"],
                    "line_id": None,
                    "seconds": 0,
                    "status": "cut",
                }
                self._add("bundles", bundle)
                added_bundles.append(bundle)
        if self._breaks_rule_2(lay):
            return self._take_back(RULES[1])
        for one_order_size in _distinct(self._order_sizes_by_order.get(lay["order_id"], {}).values()):
            if self._breaks_rule_5_z(one_order_size):
                return self._take_back(RULES[4])
        for one_bundle in _distinct([*self._bundles_by_lay.get(lay["id"], {}).values(), *added_bundles]):
            if self._breaks_rule_6(one_bundle):
                return self._take_back(RULES[5])
        for one_bundle in _distinct(added_bundles):
            if self._breaks_rule_7_b(one_bundle):
                return self._take_back(RULES[6])
        for one_lay_ratio in _distinct(
            [
                user
                for one in [self.lays[one["lay_id"]] for one in added_bundles]
                for user in self._lay_ratios_by_lay.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7_r(one_lay_ratio):
                return self._take_back(RULES[6])
        for one_bundle in _distinct(added_bundles):
            if self._breaks_rule_8(one_bundle):
                return self._take_back(RULES[7])
        for one_bundle in _distinct(added_bundles):
            if self._breaks_rule_9(one_bundle):
                return self._take_back(RULES[8])
        for one_sewing_line in _distinct([self.sewing_lines.get(one["line_id"]) for one in added_bundles]):
            if self._breaks_rule_10(one_sewing_line):
                return self._take_back(RULES[9])
        for one_bundle in _distinct(added_bundles):
            if self._breaks_rule_11(one_bundle):
                return self._take_back(RULES[10])
        for one_order in _distinct(
            [self.orders[one["order_id"]] for one in [self.lays[one["lay_id"]] for one in added_bundles]]
        ):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        if self._breaks_rule_12_l(lay):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: cut lay {lay['code']}.", "data": self._changes()}

    def drop_lay(self, lay_id: str) -> Result:
        """Drop a lay of which nothing has been spread.

        Args:
            lay_id (str): Id of the lay, such as LAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lay = self.lays.get(lay_id)
        if lay is None:
            return _refused(f"There is no lay {lay_id!r}.")
        if lay["status"] != "planned":
            return _refused(f"Lay {lay['code']} is cut.")
        if self._lay_spread(lay) != 0:
            return _refused(f"{self._lay_spread(lay)} plies of lay {lay['code']} lie on the table.")
        self._journal = []
        deleted_lay_ratios: list[Any] = []
        for r in sorted(self._lay_ratios_by_lay.get(lay_id, {}).values(), key=_age):
            if r["id"] in self.lay_ratios:
                self._remove("lay_ratios", r)
            deleted_lay_ratios.append(r)
        if lay["id"] in self.lays:
            self._remove("lays", lay)
        users = len(self._lay_ratios_by_lay.get(lay["id"], {}))
        if users:
            return self._take_back(
                f"Lay {lay['code']} is still used by {users} {'lay ratio' if users == 1 else 'lay ratios'}."
            )
        users = len(self._roll_uses_by_lay.get(lay["id"], {}))
        if users:
            return self._take_back(
                f"Lay {lay['code']} is still used by {users} {'roll use' if users == 1 else 'roll uses'}."
            )
        users = len(self._bundles_by_lay.get(lay["id"], {}))
        if users:
            return self._take_back(
                f"Lay {lay['code']} is still used by {users} {'bundle' if users == 1 else 'bundles'}."
            )
        for one_roll_use in _distinct(self._roll_uses_by_lay.get(lay["id"], {}).values()):
            if self._breaks_rule_1(one_roll_use):
                return self._take_back(RULES[0])
        for one_order_size in _distinct(
            [
                *[
                    user
                    for one in [
                        self.orders[one["order_id"]]
                        for one in [self.lays.get(one["lay_id"]) for one in deleted_lay_ratios]
                        if one is not None
                    ]
                    for user in self._order_sizes_by_order.get(one["id"], {}).values()
                ],
                *self._order_sizes_by_order.get(lay["order_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_5_z(one_order_size):
                return self._take_back(RULES[4])
        for one_lay_ratio in _distinct(self._lay_ratios_by_lay.get(lay["id"], {}).values()):
            if one_lay_ratio["id"] in self.lay_ratios and self._breaks_rule_5_r(one_lay_ratio):
                return self._take_back(RULES[4])
        for one_bundle in _distinct(self._bundles_by_lay.get(lay["id"], {}).values()):
            if self._breaks_rule_6(one_bundle):
                return self._take_back(RULES[5])
        for one_bundle in _distinct(self._bundles_by_lay.get(lay["id"], {}).values()):
            if self._breaks_rule_9(one_bundle):
                return self._take_back(RULES[8])
        if self._breaks_rule_12_o(self.orders[lay["order_id"]]):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: drop lay {lay['code']}.", "data": self._changes()}

    def issue_bundles(self, line_id: str, bundle_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Give cut bundles to a sewing line.

        Args:
            line_id (str): Sewing line that gets the bundles and sews that garment; an id such as SL-00001.
            bundle_ids (list): Cut bundles that are issued, each once: ids of bundles, such as BUNDLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.sewing_lines.get(line_id)
        if line is None:
            return _refused(f"There is no sewing line {line_id!r}.")
        bundles = []
        for key in bundle_ids:
            if key not in self.bundles:
                return _refused(f"There is no bundle {key!r}.")
            bundles.append(self.bundles[key])
        if not (len(bundles) > 0 and _different([b["id"] for b in bundles])):
            return _refused("Name at least one bundle, and each once.")
        odd = next((b for b in bundles if b["status"] != "cut"), None)
        if odd is not None:
            return _refused(f"Bundle {odd['number']} of lay {self.lays[odd['lay_id']]['code']} is {odd['status']}.")
        strange = next((b for b in bundles if not self._can_sew(line, b)), None)
        if strange is not None:
            return _refused(
                f"{line['name']} does not sew {self.orders[self.lays[strange['lay_id']]['order_id']]['garment']}."
            )
        if sum(b["pieces"] for b in bundles) > self._free_pieces(line):
            return _refused(
                f"{line['name']} has {self._sewing_line_pieces(line)} pieces in work and can take "
                f"{self._free_pieces(line)} more."
            )
        self._journal = []
        changed_bundles: list[Any] = []
        former_line_ids: list[Any] = []
        changed_bundles_2: list[Any] = []
        for b in list(bundles):
            changed_bundles.append(b)
            former_line_ids.append(b["line_id"])
            self._put("bundles", b, "line_id", line_id)
            if b["status"] not in ("cut", "sewing"):
                return self._take_back(f"Bundle {b['id']} cannot go from {b['status']} to sewing.")
            changed_bundles_2.append(b)
            self._put("bundles", b, "status", "sewing")
        for one_bundle in _distinct([*changed_bundles, *changed_bundles_2]):
            if self._breaks_rule_8(one_bundle):
                return self._take_back(RULES[7])
        for one_bundle in _distinct(changed_bundles):
            if self._breaks_rule_9(one_bundle):
                return self._take_back(RULES[8])
        for one_sewing_line in _distinct(
            [
                *[self.sewing_lines.get(one["line_id"]) for one in changed_bundles],
                *[self.sewing_lines.get(key) for key in former_line_ids],
                *[self.sewing_lines.get(one["line_id"]) for one in changed_bundles_2],
            ]
        ):
            if self._breaks_rule_10(one_sewing_line):
                return self._take_back(RULES[9])
        for one_bundle in _distinct(changed_bundles_2):
            if self._breaks_rule_11(one_bundle):
                return self._take_back(RULES[10])
        for one_order in _distinct(
            [self.orders[one["order_id"]] for one in [self.lays[one["lay_id"]] for one in changed_bundles_2]]
        ):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: issue {len(bundles)} bundles to {line['name']}.",
            "data": self._changes(),
        }

    def move_bundle(self, bundle_id: str, line_id: str) -> Result:
        """Give a bundle that is being sewn to another line.

        Args:
            bundle_id (str): Id of the bundle, such as BUNDLE-00001.
            line_id (str): Sewing line that takes the bundle over; an id such as SL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bundle = self.bundles.get(bundle_id)
        if bundle is None:
            return _refused(f"There is no bundle {bundle_id!r}.")
        line = self.sewing_lines.get(line_id)
        if line is None:
            return _refused(f"There is no sewing line {line_id!r}.")
        if bundle["status"] != "sewing":
            return _refused(
                f"Bundle {bundle['number']} of lay {self.lays[bundle['lay_id']]['code']} is {bundle['status']}."
            )
        if line_id == bundle["line_id"]:
            return _refused(f"It is with {line['name']} already.")
        if not self._can_sew(line, bundle):
            return _refused(
                f"{line['name']} does not sew {self.orders[self.lays[bundle['lay_id']]['order_id']]['garment']}."
            )
        if bundle["pieces"] > self._free_pieces(line):
            return _refused(
                f"{line['name']} has {self._sewing_line_pieces(line)} pieces in work and can take "
                f"{self._free_pieces(line)} more."
            )
        self._journal = []
        former_line_id = bundle["line_id"]
        self._put("bundles", bundle, "line_id", line_id)
        if self._breaks_rule_8(bundle):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(bundle):
            return self._take_back(RULES[8])
        for one_sewing_line in _distinct(
            [self.sewing_lines.get(bundle["line_id"]), self.sewing_lines.get(former_line_id)]
        ):
            if self._breaks_rule_10(one_sewing_line):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: move bundle {bundle['number']} of lay {self.lays[bundle['lay_id']]['code']} to "
                f"{line['name']}."
            ),
            "data": self._changes(),
        }

    def finish_bundle(self, bundle_id: str, seconds: Annotated[int, {"minimum": 0, "maximum": 80}] = 0) -> Result:
        """Take a sewn bundle back from its line and count its seconds.

        Args:
            bundle_id (str): Id of the bundle, such as BUNDLE-00001.
            seconds (int): Pieces of the bundle that are of second quality, from 0 to 80. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bundle = self.bundles.get(bundle_id)
        if bundle is None:
            return _refused(f"There is no bundle {bundle_id!r}.")
        if bundle["status"] != "sewing":
            return _refused(
                f"Bundle {bundle['number']} of lay {self.lays[bundle['lay_id']]['code']} is {bundle['status']}."
            )
        if seconds > bundle["pieces"]:
            return _refused(f"The bundle has {bundle['pieces']} pieces.")
        self._journal = []
        former_line_id = bundle["line_id"]
        self._put("bundles", bundle, "line_id", None)
        self._put("bundles", bundle, "seconds", seconds)
        self._put("bundles", bundle, "status", "sewn")
        if self._breaks_rule_8(bundle):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(bundle):
            return self._take_back(RULES[8])
        for one_sewing_line in _distinct(
            [self.sewing_lines.get(bundle["line_id"]), self.sewing_lines.get(former_line_id)]
        ):
            if self._breaks_rule_10(one_sewing_line):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(bundle):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_o(self.orders[self.lays[bundle["lay_id"]]["order_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: finish bundle {bundle['number']} of lay {self.lays[bundle['lay_id']]['code']} with "
                f"{seconds} seconds."
            ),
            "data": self._changes(),
        }

    def mend_seconds(self, bundle_id: str, mended: Annotated[int, {"minimum": 1, "maximum": 80}]) -> Result:
        """Note how many seconds of a sewn bundle were mended to good quality.

        Args:
            bundle_id (str): Id of the bundle, such as BUNDLE-00001.
            mended (int): Second quality pieces that are good now, from 1 to 80.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bundle = self.bundles.get(bundle_id)
        if bundle is None:
            return _refused(f"There is no bundle {bundle_id!r}.")
        if bundle["status"] != "sewn":
            return _refused(
                f"Bundle {bundle['number']} of lay {self.lays[bundle['lay_id']]['code']} is {bundle['status']}."
            )
        if self.orders[self.lays[bundle["lay_id"]]["order_id"]]["shipped_on"] is not None:
            return _refused(
                f"{self.orders[self.lays[bundle['lay_id']]['order_id']]['code']} was shipped on "
                f"{self.orders[self.lays[bundle['lay_id']]['order_id']]['shipped_on']}."
            )
        if mended > bundle["seconds"]:
            return _refused(f"The bundle has {bundle['seconds']} seconds.")
        self._journal = []
        seconds = bundle["seconds"] - mended
        if not 0 <= seconds <= 80:
            return self._take_back(f"The seconds of {bundle['id']} must be between 0 and 80.")
        self._put("bundles", bundle, "seconds", seconds)
        if self._breaks_rule_11(bundle):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_o(self.orders[self.lays[bundle["lay_id"]]["order_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: mend {mended} seconds of bundle {bundle['number']} of lay "
                f"{self.lays[bundle['lay_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def change_size(self, order_size_id: str, pieces: Annotated[int, {"minimum": 1, "maximum": 5000}]) -> Result:
        """Change how many pieces of a size are ordered, not below what is laid already.

        Args:
            order_size_id (str): Id of the order size, such as OS-00001.
            pieces (int): New number of pieces ordered in this size, from 1 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order_size = self.order_sizes.get(order_size_id)
        if order_size is None:
            return _refused(f"There is no order size {order_size_id!r}.")
        if self.orders[order_size["order_id"]]["shipped_on"] is not None:
            return _refused(
                f"{self.orders[order_size['order_id']]['code']} was shipped on "
                f"{self.orders[order_size['order_id']]['shipped_on']}."
            )
        if pieces == order_size["pieces"]:
            return _refused("That is what was ordered.")
        if self._order_size_planned(order_size) > pieces + ceil(Fraction(pieces * 3, 100)):
            return _refused(
                f"{self._order_size_planned(order_size)} pieces of size {order_size['size']} are laid already."
            )
        self._journal = []
        self._put("order_sizes", order_size, "pieces", pieces)
        if self._breaks_rule_5_z(order_size):
            return self._take_back(RULES[4])
        if self._breaks_rule_12_o(self.orders[order_size["order_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: change size {order_size['size']} of {self.orders[order_size['order_id']]['code']} to "
                f"{pieces} pieces."
            ),
            "data": self._changes(),
        }

    def ship_order(self, order_id: str) -> Result:
        """Ship an order of which 97 percent are sewn in good quality, and 90 percent of each size.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["shipped_on"] is not None:
            return _refused(f"{order['code']} was shipped on {order['shipped_on']}.")
        lay = self._open_lay(order)
        if lay is not None:
            return _refused(f"Lay {lay['code']} of {order['code']} is not cut, so cut or drop it.")
        if self._order_good(order) * 100 < self._order_ordered(order) * 97:
            return _refused(
                f"{order['code']} has {self._order_good(order)} good pieces of {self._order_ordered(order)}, and "
                "97 percent are needed."
            )
        weak = self._thin(order)
        if weak is not None:
            return _refused(
                f"Of size {weak['size']} there are {self._order_size_good(weak)} good pieces of {weak['pieces']}, "
                "and 90 percent of each size are needed."
            )
        self._journal = []
        self._put("orders", order, "shipped_on", self.now[:10])
        if self._breaks_rule_12_o(order):
            return self._take_back(RULES[11])
        for one_lay in _distinct(self._lays_by_order_status.get((order["id"], "planned"), {}).values()):
            if self._breaks_rule_12_l(one_lay):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: ship {order['code']} to {order['buyer']}.",
            "data": self._changes(),
        }

    def reject_roll(self, roll_id: str) -> Result:
        """Reject what is left of a roll, for faults in the cloth.

        Args:
            roll_id (str): Id of the roll, such as ROLL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        roll = self.rolls.get(roll_id)
        if roll is None:
            return _refused(f"There is no roll {roll_id!r}.")
        if roll["rejected"]:
            return _refused(f"Roll {roll['code']} was rejected already.")
        if roll["cm"] <= 0:
            return _refused(f"Nothing is left of roll {roll['code']}.")
        self._journal = []
        self._put("rolls", roll, "rejected", True)
        return {"success": True, "message": f"Done: reject roll {roll['code']}.", "data": self._changes()}

    def _show_order(self, order: Order) -> dict[str, Any]:
        """The order as an answer shows it."""
        return {**order, "ordered": self._order_ordered(order), "good": self._order_good(order)}

    def _show_order_size(self, order_size: OrderSize) -> dict[str, Any]:
        """The order size as an answer shows it."""
        return {
            **order_size,
            "planned": self._order_size_planned(order_size),
            "good": self._order_size_good(order_size),
        }

    def _show_lay(self, lay: Lay) -> dict[str, Any]:
        """The lay as an answer shows it."""
        return {**lay, "length": self._lay_length(lay), "spread": self._lay_spread(lay)}

    def _show_sewing_line(self, sewing_line: SewingLine) -> dict[str, Any]:
        """The sewing line as an answer shows it."""
        return {**sewing_line, "sews": [*sewing_line["sews"]], "pieces": self._sewing_line_pieces(sewing_line)}

    def _names_of_order_sizes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that order sizes point to."""
        return _names((self.orders, "code", [row["order_id"] for row in shown]))

    def _names_of_lays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lays point to."""
        return _names((self.orders, "code", [row["order_id"] for row in shown]))

    def _names_of_lay_ratios(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lay ratios point to."""
        return _names((self.lays, "code", [row["lay_id"] for row in shown]))

    def _names_of_roll_uses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that roll uses point to."""
        return _names(
            (self.lays, "code", [row["lay_id"] for row in shown]),
            (self.rolls, "code", [row["roll_id"] for row in shown]),
        )

    def _names_of_bundles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bundles point to."""
        return _names(
            (self.lays, "code", [row["lay_id"] for row in shown]),
            (self.sewing_lines, "name", [row["line_id"] for row in shown]),
        )

    def _order_ordered(self, order: Order) -> int:
        """The ordered of an order."""
        return sum(z["pieces"] for z in self._order_sizes_by_order.get(order["id"], {}).values())

    def _order_good(self, order: Order) -> int:
        """The good of an order."""
        return sum(
            b["pieces"] - b["seconds"]
            for _lay in self._lays_by_order.get(order["id"], {}).values()
            for b in self._bundles_by_lay_status.get((_lay["id"], "sewn"), {}).values()
        )

    def _order_size_planned(self, order_size: OrderSize) -> int:
        """The planned of an order size."""
        return sum(
            r["per_ply"] * self.lays[r["lay_id"]]["plies"]
            for _lay in self._lays_by_order.get(order_size["order_id"], {}).values()
            for r in self._lay_ratios_by_lay_size.get((_lay["id"], order_size["size"]), {}).values()
        )

    def _order_size_good(self, order_size: OrderSize) -> int:
        """The good of an order size."""
        return sum(
            b["pieces"] - b["seconds"]
            for _lay in self._lays_by_order.get(order_size["order_id"], {}).values()
            for b in self._bundles_by_lay_size_status.get((_lay["id"], order_size["size"], "sewn"), {}).values()
        )

    def _lay_length(self, lay: Lay) -> int:
        """The length of a lay."""
        return (
            sum(
                r["per_ply"]
                for r in self._lay_ratios_by_lay.get(lay["id"], {}).values()
            ) * self.orders[lay["order_id"]]["cm_each"]
            + 6
        )

    def _lay_spread(self, lay: Lay) -> int:
        """The spread of a lay."""
        return sum(u["plies"] for u in self._roll_uses_by_lay.get(lay["id"], {}).values())

    def _sewing_line_pieces(self, sewing_line: SewingLine) -> int:
        """The pieces of a sewing line."""
        return sum(b["pieces"] for b in self._bundles_by_line_status.get((sewing_line["id"], "sewing"), {}).values())

    def _matches(self, r: Roll, l: Lay) -> bool:
        return (
            r["fabric"] == self.orders[l["order_id"]]["fabric"]
            and r["colour"] == self.orders[l["order_id"]]["colour"]
            and r["shade"] == l["shade"]
            and not r["rejected"]
        )

    def _to_spread(self, l: Lay) -> int:
        return l["plies"] - self._lay_spread(l)

    def _free_pieces(self, n: SewingLine) -> int:
        return n["most_pieces"] - self._sewing_line_pieces(n)

    def _most_planned(self, z: OrderSize) -> int:
        return z["pieces"] + ceil(Fraction(z["pieces"] * 3, 100))

    def _thin(self, o: Order) -> OrderSize | None:
        return next(
            (
                z
                for z in sorted(self._order_sizes_by_order.get(o["id"], {}).values(), key=_age)
                if self._order_size_good(z) * 100 < z["pieces"] * 90
            ),
            None,
        )

    def _complete(self, o: Order) -> bool:
        return (
            self._order_good(o) * 100 >= self._order_ordered(o) * 97
            and all(
                self._order_size_good(z) * 100 >= z["pieces"] * 90
                for z in self._order_sizes_by_order.get(o["id"], {}).values()
            )
        )

    def _can_sew(self, n: SewingLine, b: Bundle) -> bool:
        return self.orders[self.lays[b["lay_id"]]["order_id"]]["garment"] in n["sews"]

    def _open_lay(self, o: Order) -> Lay | None:
        return next(
            (l for l in sorted(self._lays_by_order_status.get((o["id"], "planned"), {}).values(), key=_age)),
            None,
        )

    def _breaks_rule_1(self, u: RollUse) -> bool:
        """Whether this is broken: a lay is spread from rolls of the fabric and colour of its order, all of its one
        shade.
        """
        return (
            self.rolls[u["roll_id"]]["fabric"] != self.orders[self.lays[u["lay_id"]]["order_id"]]["fabric"]
            or self.rolls[u["roll_id"]]["colour"] != self.orders[self.lays[u["lay_id"]]["order_id"]]["colour"]
            or self.rolls[u["roll_id"]]["shade"] != self.lays[u["lay_id"]]["shade"]
        )

    def _breaks_rule_2(self, l: Lay) -> bool:
        """Whether this is broken: no more plies are spread than the lay has."""
        return self._lay_spread(l) > l["plies"]

    def _breaks_rule_3(self, u: RollUse) -> bool:
        """Whether this is broken: a roll is used once in a lay."""
        return any(
            other_u is not u
            for other_u in self._roll_uses_by_lay_roll.get((u["lay_id"], u["roll_id"]), {}).values()
        )

    def _breaks_rule_4_r(self, r: LayRatio) -> bool:
        """Whether this is broken: a size occurs once in an order and once in the ratio of a lay."""
        return any(
            other_r is not r
            for other_r in self._lay_ratios_by_lay_size.get((r["lay_id"], r["size"]), {}).values()
        )

    def _breaks_rule_5_z(self, z: OrderSize) -> bool:
        """Whether this is broken: only sizes that were ordered are laid, and at most three percent more than was
        ordered.
        """
        return self._order_size_planned(z) > self._most_planned(z)

    def _breaks_rule_5_r(self, r: LayRatio) -> bool:
        """Whether this is broken: only sizes that were ordered are laid, and at most three percent more than was
        ordered.
        """
        return not self._order_sizes_by_order_size.get((self.lays[r["lay_id"]]["order_id"], r["size"]), {})

    def _breaks_rule_6(self, b: Bundle) -> bool:
        """Whether this is broken: bundles come from lays that were cut, with one piece from each ply."""
        return self.lays[b["lay_id"]]["status"] != "cut" or b["pieces"] != self.lays[b["lay_id"]]["plies"]

    def _breaks_rule_7_b(self, b: Bundle) -> bool:
        """Whether this is broken: the bundles of a lay have different numbers and follow its ratio."""
        return any(
            other_b is not b
            for other_b in self._bundles_by_lay.get(b["lay_id"], {}).values()
            if other_b["number"] == b["number"]
        )

    def _breaks_rule_7_r(self, r: LayRatio) -> bool:
        """Whether this is broken: the bundles of a lay have different numbers and follow its ratio."""
        return len(self._bundles_by_lay_size.get((r["lay_id"], r["size"]), {})) > r["per_ply"]

    def _breaks_rule_8(self, b: Bundle) -> bool:
        """Whether this is broken: a bundle is with a line exactly while it is sewn there."""
        return (b["status"] == "sewing") != (b["line_id"] is not None)

    def _breaks_rule_9(self, b: Bundle) -> bool:
        """Whether this is broken: a line sews only the garments it knows."""
        return b["line_id"] is not None and not self._can_sew(self.sewing_lines[b["line_id"]], b)

    def _breaks_rule_10(self, n: SewingLine) -> bool:
        """Whether this is broken: a line never has more pieces in work than it can take."""
        return self._sewing_line_pieces(n) > n["most_pieces"]

    def _breaks_rule_11(self, b: Bundle) -> bool:
        """Whether this is broken: no bundle has more seconds than pieces, and none before it is sewn."""
        return not (b["seconds"] <= b["pieces"] and (b["seconds"] == 0 or b["status"] == "sewn"))

    def _breaks_rule_12_o(self, o: Order) -> bool:
        """Whether this is broken: a shipped order has 97 percent of its pieces in good quality, 90 percent of each
        size, and no lay that is only planned.
        """
        return o["shipped_on"] is not None and not self._complete(o)

    def _breaks_rule_12_l(self, l: Lay) -> bool:
        """Whether this is broken: a shipped order has 97 percent of its pieces in good quality, 90 percent of each
        size, and no lay that is only planned.
        """
        return l["status"] == "planned" and self.orders[l["order_id"]]["shipped_on"] is not None

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
            case "order_sizes":
                self._order_sizes_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._order_sizes_by_order_size.setdefault(
                    (record["order_id"], record["size"]),
                    {},
                )[record["id"]] = record
            case "lays":
                self._lays_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._lays_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._lays_by_order_status.setdefault((record["order_id"], record["status"]), {})[record["id"]] = record
            case "lay_ratios":
                self._lay_ratios_by_lay.setdefault(record["lay_id"], {})[record["id"]] = record
                self._lay_ratios_by_lay_size.setdefault((record["lay_id"], record["size"]), {})[record["id"]] = record
            case "roll_uses":
                self._roll_uses_by_lay.setdefault(record["lay_id"], {})[record["id"]] = record
                self._roll_uses_by_lay_roll.setdefault((record["lay_id"], record["roll_id"]), {})[record["id"]] = record
            case "bundles":
                self._bundles_by_lay.setdefault(record["lay_id"], {})[record["id"]] = record
                self._bundles_by_lay_size.setdefault((record["lay_id"], record["size"]), {})[record["id"]] = record
                self._bundles_by_lay_size_status.setdefault(
                    (record["lay_id"], record["size"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bundles_by_lay_status.setdefault((record["lay_id"], record["status"]), {})[record["id"]] = record
                self._bundles_by_line_status.setdefault((record["line_id"], record["status"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "order_sizes":
                del self._order_sizes_by_order[record["order_id"]][record["id"]]
                del self._order_sizes_by_order_size[record["order_id"], record["size"]][record["id"]]
            case "lays":
                del self._lays_by_code[record["code"]][record["id"]]
                del self._lays_by_order[record["order_id"]][record["id"]]
                del self._lays_by_order_status[record["order_id"], record["status"]][record["id"]]
            case "lay_ratios":
                del self._lay_ratios_by_lay[record["lay_id"]][record["id"]]
                del self._lay_ratios_by_lay_size[record["lay_id"], record["size"]][record["id"]]
            case "roll_uses":
                del self._roll_uses_by_lay[record["lay_id"]][record["id"]]
                del self._roll_uses_by_lay_roll[record["lay_id"], record["roll_id"]][record["id"]]
            case "bundles":
                del self._bundles_by_lay[record["lay_id"]][record["id"]]
                del self._bundles_by_lay_size[record["lay_id"], record["size"]][record["id"]]
                del self._bundles_by_lay_size_status[record["lay_id"], record["size"], record["status"]][record["id"]]
                del self._bundles_by_lay_status[record["lay_id"], record["status"]][record["id"]]
                del self._bundles_by_line_status[record["line_id"], record["status"]][record["id"]]
