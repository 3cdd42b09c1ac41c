"""Payroll. Compiled from blueprint.yaml; run `envscaler build payroll_run` after changing it there.

Runs the monthly payroll of a company, with pay items, recurring elements, slips, garnishments in rank above a
protected minimum, months that lock and corrections in the next month.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Only one payroll is open at a time.",
    "A worker has one slip a month.",
    "A slip contains every item of its month, so nothing is booked behind its back.",
    "Garnishments leave the protected minimum to the worker.",
    "No creditor gets more than the claim, and only from the worker who owes it.",
    "The claims on a worker have different ranks and different creditors.",
    "A settled claim is paid in full.",
    "An item is corrected once, in a later month, for the same worker and element.",
    "A worker has one recurring amount for an element.",
    "In a locked month everybody has a slip, and each slip that was flagged has been cleared.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "add_item",
    "drop_item",
    "correct_item",
    "set_recurring",
    "calculate_slip",
    "reopen_slip",
    "clear_slip",
    "lock_period",
    "register_garnishment",
    "hold_garnishment",
    "resume_garnishment",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "periods": ("name",),
    "workers": ("name",),
    "elements": ("name",),
    "recurrings": (),
    "items": (),
    "slips": (),
    "garnishments": (),
    "withholdings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("garnishments", "status"),
    ("garnishments", "worker_id"),
    ("items", "correction_of_id"),
    ("items", "period_id"),
    ("items", "worker_id"),
    ("periods", "status"),
    ("recurrings", "element_id"),
    ("recurrings", "worker_id"),
    ("slips", "period_id"),
    ("slips", "worker_id"),
    ("withholdings", "garnishment_id"),
    ("withholdings", "slip_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Period(TypedDict):
    id: str
    name: str
    month: str
    status: Literal["planned", "open", "locked"]


class Worker(TypedDict):
    id: str
    name: str
    wage: int
    protected: int


class Element(TypedDict):
    id: str
    name: str
    sign: Literal["earning", "deduction"]


class Recurring(TypedDict):
    id: str
    worker_id: str
    element_id: str
    amount: int
    running: bool


class Item(TypedDict):
    id: str
    worker_id: str
    period_id: str
    element_id: str
    amount: int
    correction_of_id: str | None
    recurring_id: str | None


class Slip(TypedDict):
    id: str
    worker_id: str
    period_id: str
    wage: int
    gross: int
    net: int
    protected: int
    cleared: bool


class Garnishment(TypedDict):
    id: str
    worker_id: str
    creditor: str
    rank: int
    total: int
    status: Literal["running", "held", "settled"]


class Withholding(TypedDict):
    id: str
    slip_id: str
    garnishment_id: str
    amount: int


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class PayrollRun:
    """Runs the monthly payroll of a company, with pay items, recurring elements, slips, garnishments in
    rank above a protected minimum, months that lock and corrections in the next month.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.periods: dict[str, Period] = _copied(config.get("periods", {}))
        self.workers: dict[str, Worker] = _copied(config.get("workers", {}))
        self.elements: dict[str, Element] = _copied(config.get("elements", {}))
        self.recurrings: dict[str, Recurring] = _copied(config.get("recurrings", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.slips: dict[str, Slip] = _copied(config.get("slips", {}))
        self.garnishments: dict[str, Garnishment] = _copied(config.get("garnishments", {}))
        self.withholdings: dict[str, Withholding] = _copied(config.get("withholdings", {}))
        self.now: str = config.get("now", "2026-04-22T08:40")
        self.counters: dict[str, int] = {
            "period": len(self.periods),
            "worker": len(self.workers),
            "element": len(self.elements),
            "recurring": len(self.recurrings),
            "item": len(self.items),
            "slip": len(self.slips),
            "garnishment": len(self.garnishments),
            "withholding": len(self.withholdings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._periods_by_status: dict[Any, dict[str, Period]] = {}
        self._recurrings_by_worker: dict[Any, dict[str, Recurring]] = {}
        self._recurrings_by_worker_element: dict[Any, dict[str, Recurring]] = {}
        self._items_by_correction_of: dict[Any, dict[str, Item]] = {}
        self._items_by_worker: dict[Any, dict[str, Item]] = {}
        self._items_by_worker_period: dict[Any, dict[str, Item]] = {}
        self._slips_by_period: dict[Any, dict[str, Slip]] = {}
        self._slips_by_worker: dict[Any, dict[str, Slip]] = {}
        self._slips_by_worker_period: dict[Any, dict[str, Slip]] = {}
        self._garnishments_by_status: dict[Any, dict[str, Garnishment]] = {}
        self._garnishments_by_worker: dict[Any, dict[str, Garnishment]] = {}
        self._garnishments_by_worker_status: dict[Any, dict[str, Garnishment]] = {}
        self._withholdings_by_garnishment: dict[Any, dict[str, Withholding]] = {}
        self._withholdings_by_slip: dict[Any, dict[str, Withholding]] = {}
        for period in self.periods.values():
            self._link("periods", period)
        for recurring in self.recurrings.values():
            self._link("recurrings", recurring)
        for item in self.items.values():
            self._link("items", item)
        for slip in self.slips.values():
            self._link("slips", slip)
        for garnishment in self.garnishments.values():
            self._link("garnishments", garnishment)
        for withholding in self.withholdings.values():
            self._link("withholdings", withholding)

    def slips_to_do(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Workers without a slip in the open payroll, with what is booked for them so far.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}} or {"success": False, "error": why
                not}
        """
        found = [
            w
            for w in self.workers.values()
            if any(self._slip_of(w, p) is None for p in self._periods_by_status.get("open", {}).values())
        ]
        found.sort(key=lambda w: (w["name"], _age(w)))
        return _found(
            {
                "total": len(found),
                "workers": [
                    {
                        "id": w["id"],
                        "name": w["name"],
                        "wage": w["wage"],
                        "items": sum(
                            1
                            for i in self._items_by_worker.get(w["id"], {}).values()
                            if self.periods[i["period_id"]]["status"] == "open"
                        ),
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def flagged_slips(
        self,
        period_id: str,
        cleared: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Slips of a month that differ by more than a fifth from the month before.

        Args:
            period_id (str): Id of the period, such as PERIOD-00001.
            cleared (bool, optional): Whether the listed slips are cleared, false listing those that still wait. If
                left out, both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slips": records}} or {"success": False, "error": why
                not}
        """
        period = self.periods.get(period_id)
        if period is None:
            return _refused(f"There is no period {period_id!r}.")
        found = [
            s
            for s in self._slips_by_period.get(period_id, {}).values()
            if (s["period_id"] == period_id and self._slip_flagged(s))
            and (cleared is None or s["cleared"] == cleared)
        ]
        found.sort(key=lambda s: (self.workers[s["worker_id"]]["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "slips": [
                    {
                        "id": s["id"],
                        "worker": self.workers[s["worker_id"]]["name"],
                        "net": s["net"],
                        "last_net": self._slip_before(s)["net"] if self._slip_before(s) is not None else s["net"],
                        "cleared": s["cleared"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def creditors_of(self, worker_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The claims on a worker that are not settled, in the order of their rank.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "garnishments": records}} or {"success": False, "error":
                why not}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        found = [
            g
            for g in self._garnishments_by_worker.get(worker_id, {}).values()
            if (g["worker_id"] == worker_id and g["status"] != "settled")
        ]
        found.sort(key=lambda g: (g["rank"], _age(g)))
        return _found(
            {
                "total": len(found),
                "garnishments": [
                    {
                        "id": g["id"],
                        "creditor": g["creditor"],
                        "rank": g["rank"],
                        "total": g["total"],
                        "left": self._garnishment_left(g),
                        "status": g["status"],
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def list_periods(
        self,
        name: Text | None = None,
        status: Literal["planned", "open", "locked"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the periods, oldest first, all of them or only some.

        Args:
            name (str, optional): Only periods whose name contains this text.
            status (str, optional): Only periods with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "periods": records}}
        """
        found = [
            period
            for period in self.periods.values()
            if (name is None or name.casefold() in period["name"].casefold())
            and (status is None or period["status"] == status)
        ]
        return _found({"total": len(found), "periods": [{**period} for period in _page(found, offset)]})

    def list_workers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the workers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only workers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "workers": records}}
        """
        found = [
            worker
            for worker in self.workers.values()
            if (name is None or name.casefold() in worker["name"].casefold())
        ]
        return _found({"total": len(found), "workers": [{**worker} for worker in _page(found, offset)]})

    def list_elements(
        self,
        name: Text | None = None,
        sign: Literal["earning", "deduction"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the elements, oldest first, all of them or only some.

        Args:
            name (str, optional): Only elements whose name contains this text.
            sign (str, optional): Only elements with this sign.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "elements": records}}
        """
        found = [
            element
            for element in self.elements.values()
            if (name is None or name.casefold() in element["name"].casefold())
            and (sign is None or element["sign"] == sign)
        ]
        return _found({"total": len(found), "elements": [{**element} for element in _page(found, offset)]})

    def list_recurrings(
        self,
        worker_id: str | None = None,
        element_id: str | None = None,
        running: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recurrings, oldest first, all of them or only some.

        Args:
            worker_id (str, optional): Only recurrings of this worker.
            element_id (str, optional): Only recurrings of this element.
            running (bool, optional): Only recurrings with this value of `running`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recurrings": records}}
        """
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        if element_id is not None and element_id not in self.elements:
            return _refused(f"There is no element {element_id!r}.")
        found = [
            recurring
            for recurring in self.recurrings.values()
            if (worker_id is None or recurring["worker_id"] == worker_id)
            and (element_id is None or recurring["element_id"] == element_id)
            and (running is None or recurring["running"] == running)
        ]
        shown = [{**recurring} for recurring in _page(found, offset)]
        return _found({"total": len(found), "recurrings": shown}, self._names_of_recurrings(shown))

    def list_items(
        self,
        worker_id: str | None = None,
        period_id: str | None = None,
        element_id: str | None = None,
        correction_of_id: str | None = None,
        recurring_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            worker_id (str, optional): Only items of this worker.
            period_id (str, optional): Only items of this period.
            element_id (str, optional): Only items of this element.
            correction_of_id (str, optional): Only items correction of this item.
            recurring_id (str, optional): Only items of this recurring.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        if period_id is not None and period_id not in self.periods:
            return _refused(f"There is no period {period_id!r}.")
        if element_id is not None and element_id not in self.elements:
            return _refused(f"There is no element {element_id!r}.")
        if correction_of_id is not None and correction_of_id not in self.items:
            return _refused(f"There is no item {correction_of_id!r}.")
        if recurring_id is not None and recurring_id not in self.recurrings:
            return _refused(f"There is no recurring {recurring_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (worker_id is None or item["worker_id"] == worker_id)
            and (period_id is None or item["period_id"] == period_id)
            and (element_id is None or item["element_id"] == element_id)
            and (correction_of_id is None or item["correction_of_id"] == correction_of_id)
            and (recurring_id is None or item["recurring_id"] == recurring_id)
        ]
        shown = [{**item} for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_slips(
        self,
        worker_id: str | None = None,
        period_id: str | None = None,
        cleared: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slips, oldest first, all of them or only some.

        Args:
            worker_id (str, optional): Only slips of this worker.
            period_id (str, optional): Only slips of this period.
            cleared (bool, optional): Only slips that are cleared (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slips": records}}
        """
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        if period_id is not None and period_id not in self.periods:
            return _refused(f"There is no period {period_id!r}.")
        found = [
            slip
            for slip in self.slips.values()
            if (worker_id is None or slip["worker_id"] == worker_id)
            and (period_id is None or slip["period_id"] == period_id)
            and (cleared is None or slip["cleared"] == cleared)
        ]
        shown = [self._show_slip(slip) for slip in _page(found, offset)]
        return _found({"total": len(found), "slips": shown}, self._names_of_slips(shown))

    def list_garnishments(
        self,
        worker_id: str | None = None,
        status: Literal["running", "held", "settled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the garnishments, oldest first, all of them or only some.

        Args:
            worker_id (str, optional): Only garnishments of this worker.
            status (str, optional): Only garnishments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "garnishments": records}}
        """
        if worker_id is not None and worker_id not in self.workers:
            return _refused(f"There is no worker {worker_id!r}.")
        found = [
            garnishment
            for garnishment in self.garnishments.values()
            if (worker_id is None or garnishment["worker_id"] == worker_id)
            and (status is None or garnishment["status"] == status)
        ]
        shown = [self._show_garnishment(garnishment) for garnishment in _page(found, offset)]
        return _found({"total": len(found), "garnishments": shown}, self._names_of_garnishments(shown))

    def list_withholdings(
        self,
        slip_id: str | None = None,
        garnishment_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the withholdings, oldest first, all of them or only some.

        Args:
            slip_id (str, optional): Only withholdings of this slip.
            garnishment_id (str, optional): Only withholdings of this garnishment.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "withholdings": records}}
        """
        if slip_id is not None and slip_id not in self.slips:
            return _refused(f"There is no slip {slip_id!r}.")
        if garnishment_id is not None and garnishment_id not in self.garnishments:
            return _refused(f"There is no garnishment {garnishment_id!r}.")
        found = [
            withholding
            for withholding in self.withholdings.values()
            if (slip_id is None or withholding["slip_id"] == slip_id)
            and (garnishment_id is None or withholding["garnishment_id"] == garnishment_id)
        ]
        return _found(
            {"total": len(found), "withholdings": [{**withholding} for withholding in _page(found, offset)]}
        )

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def add_item(
        self,
        worker_id: str,
        element_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 400000}],
    ) -> Result:
        """Add a pay item of a worker to the open payroll, before their slip is calculated.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            element_id (str): Id of the element, such as ELEMENT-00001.
            amount (int): What the item adds to the pay, or takes off it for a deduction, in cents, from 100 to
                400000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        element = self.elements.get(element_id)
        if element is None:
            return _refused(f"There is no element {element_id!r}.")
        period = next((p for p in sorted(self._periods_by_status.get("open", {}).values(), key=_age)), None)
        if period is None:
            return _refused("No payroll is open.")
        if self._slip_of(worker, period) is not None:
            return _refused(f"The slip of {worker['name']} for {period['name']} is calculated; reopen it first.")
        self._journal = []
        item: Item = {
            "id": self._new_id("item", "ITEM", self.items),
            "worker_id": worker_id,
            "period_id": period["id"],
            "element_id": element_id,
            "amount": amount,
            "correction_of_id": None,
            "recurring_id": None,
        }
        self._add("items", item)
        for one_slip in _distinct(self._slips_by_worker.get(item["worker_id"], {}).values()):
            if self._breaks_rule_3_s(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct(self._slips_by_worker.get(item["worker_id"], {}).values()):
            if self._breaks_rule_3_s_again(one_slip):
                return self._take_back(RULES[2])
        if self._breaks_rule_8_i(item):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(item):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: add {_money(amount)} of {element['name']} for {worker['name']} (new: item {item['id']})."
            ),
            "data": {"item_id": item["id"], **self._changes()},
        }

    def drop_item(self, item_id: str) -> Result:
        """Take an item out of the open payroll, before the slip is calculated.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if self.periods[item["period_id"]]["status"] != "open":
            return _refused(f"{self.periods[item['period_id']]['name']} is locked; correct the item instead.")
        if item["recurring_id"] is not None:
            return _refused("This item comes from a recurring amount; change that.")
        if self._slip_of(self.workers[item["worker_id"]], self.periods[item["period_id"]]) is not None:
            return _refused(
                f"The slip of {self.workers[item['worker_id']]['name']} for "
                f"{self.periods[item['period_id']]['name']} is calculated; reopen it first."
            )
        self._journal = []
        self._remove("items", item)
        users = len(self._items_by_correction_of.get(item["id"], {}))
        if users:
            return self._take_back(f"Item {item['id']} is still used by {users} {'item' if users == 1 else 'items'}.")
        for one_slip in _distinct(self._slips_by_worker.get(item["worker_id"], {}).values()):
            if self._breaks_rule_3_s(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct(self._slips_by_worker.get(item["worker_id"], {}).values()):
            if self._breaks_rule_3_s_again(one_slip):
                return self._take_back(RULES[2])
        for one_item in _distinct(self._items_by_correction_of.get(item["id"], {}).values()):
            if one_item["id"] in self.items and self._breaks_rule_8_i_again(one_item):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: drop {_money(item['amount'])} of {self.elements[item['element_id']]['name']} of "
                f"{self.workers[item['worker_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def correct_item(self, item_id: str, right: Annotated[int, {"minimum": 0, "maximum": 400000}]) -> Result:
        """Correct an item of a locked month; the difference goes into the open payroll.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            right (int): What the item should have been, not the difference, in cents, from 0 to 400000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if self.periods[item["period_id"]]["status"] != "locked":
            return _refused(
                f"{self.periods[item['period_id']]['name']} is not locked; drop the item and add it anew."
            )
        if item["correction_of_id"] is not None:
            return _refused("This item is a correction itself.")
        if self._items_by_correction_of.get(item_id, {}):
            return _refused(
                f"The {self.elements[item['element_id']]['name']} of {self.workers[item['worker_id']]['name']} in "
                f"{self.periods[item['period_id']]['name']} has been corrected already."
            )
        if right == item["amount"]:
            return _refused(f"The item says {_money(right)} already.")
        period = next((p for p in sorted(self._periods_by_status.get("open", {}).values(), key=_age)), None)
        if period is None:
            return _refused("No payroll is open.")
        if self._slip_of(self.workers[item["worker_id"]], period) is not None:
            return _refused(
                f"The slip of {self.workers[item['worker_id']]['name']} for {period['name']} is calculated; "
                "reopen it first."
            )
        done = f"correct {self.elements[item['element_id']]['name']} of {self.workers[item['worker_id']]['name']} in {self.periods[item['period_id']]['name']} to {_money(right)}"
        self._journal = []
        amount = right - item["amount"]
        if not -400000 <= amount <= 400000:
            return self._take_back("The amount of an item must be between -4,000.00 and 4,000.00.")
        new_item: Item = {
            "id": self._new_id("item", "ITEM", self.items),
            "worker_id": item["worker_id"],
            "period_id": period["id"],
            "element_id": item["element_id"],
            "amount": amount,
            "correction_of_id": item_id,
            "recurring_id": None,
        }
        self._add("items", new_item)
        for one_slip in _distinct(self._slips_by_worker.get(new_item["worker_id"], {}).values()):
            if self._breaks_rule_3_s(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct(self._slips_by_worker.get(new_item["worker_id"], {}).values()):
            if self._breaks_rule_3_s_again(one_slip):
                return self._take_back(RULES[2])
        if self._breaks_rule_8_i(new_item):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(new_item):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: {done} (new: item {new_item['id']}).",
            "data": {"item_id": new_item["id"], **self._changes()},
        }

    def set_recurring(
        self,
        worker_id: str,
        element_id: str,
        amount: Annotated[int, {"minimum": 0, "maximum": 200000}],
    ) -> Result:
        """Set what a worker gets or pays for an element every month from the next slip on; nothing ends it.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            element_id (str): Id of the element, such as ELEMENT-00001.
            amount (int): What the element adds or takes off each month, where zero ends it, in cents, from 0 to
                200000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        element = self.elements.get(element_id)
        if element is None:
            return _refused(f"There is no element {element_id!r}.")
        old = next(
            (
                r
                for r in sorted(
                    self._recurrings_by_worker_element.get((worker_id, element_id), {}).values(),
                    key=_age,
                )
                if r["running"]
            ),
            None,
        )
        if amount <= 0 and old is None:
            return _refused(f"{worker['name']} has no recurring {element['name']} that could end.")
        if old is not None and old["amount"] == amount:
            return _refused(f"{worker['name']} has {_money(amount)} of {element['name']} a month already.")
        self._journal = []
        added_recurrings: list[Any] = []
        changed_recurrings: list[Any] = []
        if old is None:
            recurring = {
                "id": self._new_id("recurring", "RECURRING", self.recurrings),
                "worker_id": worker_id,
                "element_id": element_id,
                "amount": amount,
                "running": True,
            }
            self._add("recurrings", recurring)
            added_recurrings.append(recurring)
        else:
            if amount == 0:
                changed_recurrings.append(old)
                self._put("recurrings", old, "running", False)
            else:
                self._put("recurrings", old, "amount", amount)
        for one_recurring in _distinct([*added_recurrings, *changed_recurrings]):
            if self._breaks_rule_9(one_recurring):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: set the monthly {element['name']} of {worker['name']} to {_money(amount)}.",
            "data": self._changes(),
        }

    def calculate_slip(
        self,
        worker_id: str,
        wage: Annotated[int, {"minimum": 120000, "maximum": 700000}] | None = None,
    ) -> Result:
        """Calculate the slip of a worker for the open payroll, with a new wage from this month on where one is given,
        recurring amounts, tax and what creditors get in the order of their rank.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            wage (int, optional): New monthly wage of the worker from this slip on, in cents, from 120000 to
                700000. If left out, the wage stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        period = next((p for p in sorted(self._periods_by_status.get("open", {}).values(), key=_age)), None)
        if period is None:
            return _refused("No payroll is open.")
        if self._slip_of(worker, period) is not None:
            return _refused(f"{worker['name']} has a slip for {period['name']} already.")
        if wage is not None and wage == worker["wage"]:
            return _refused(f"{worker['name']} has a wage of {_money(worker['wage'])} already.")
        pay = wage if wage is not None else worker["wage"]
        gross = pay + self._sum_of(worker, period, "earning") + self._regular(worker, "earning")
        if gross < 0:
            return _refused(f"The gross pay of {worker['name']} would be {_money(gross)}.")
        net = (
            gross
            - self._tax(gross)
            - self._sum_of(worker, period, "deduction")
            - self._regular(worker, "deduction")
        )
        if net < 0:
            return _refused(f"Deductions of {worker['name']} are higher than the pay by {_money(0 - net)}.")
        self._journal = []
        added_items: list[Any] = []
        added_withholdings: list[Any] = []
        for r in sorted(
            [r for r in self._recurrings_by_worker.get(worker_id, {}).values() if r["running"]],
            key=lambda r: (self.elements[r["element_id"]]["name"], _age(r)),
        ):
            item = {
                "id": self._new_id("item", "ITEM", self.items),
                "worker_id": worker_id,
                "period_id": period["id"],
                "element_id": r["element_id"],
                "amount": r["amount"],
                "correction_of_id": None,
                "recurring_id": r["id"],
            }
            self._add("items", item)
            added_items.append(item)
        if not 120000 <= pay <= 700000:
            return self._take_back(f"The wage of {worker['name']} must be between 1,200.00 and 7,000.00.")
        self._put("workers", worker, "wage", pay)
        if not 0 <= pay <= 700000:
            return self._take_back("The wage of a slip must be between 0.00 and 7,000.00.")
        if not 0 <= gross <= 3000000:
            return self._take_back("The gross of a slip must be between 0.00 and 30,000.00.")
        if not 0 <= net <= 3000000:
            return self._take_back("The net of a slip must be between 0.00 and 30,000.00.")
        slip: Slip = {
            "id": self._new_id("slip", "SLIP", self.slips),
            "worker_id": worker_id,
            "period_id": period["id"],
            "wage": pay,
            "gross": gross,
            "net": net,
            "protected": worker["protected"],
            "cleared": False,
        }
        self._add("slips", slip)
        left = max(0, net - worker["protected"])
        for g in sorted(
            self._garnishments_by_worker_status.get((worker_id, "running"), {}).values(),
            key=lambda g: (g["rank"], _age(g)),
        ):
            part = min(left, self._garnishment_left(g))
            if part > 0:
                if not 1 <= part <= 3000000:
                    return self._take_back("The amount of a withholding must be between 0.01 and 30,000.00.")
                withholding = {
                    "id": self._new_id("withholding", "WITHHOLDING", self.withholdings),
                    "slip_id": slip["id"],
                    "garnishment_id": g["id"],
                    "amount": part,
                }
                self._add("withholdings", withholding)
                added_withholdings.append(withholding)
                left = left - part
        if self._breaks_rule_2(slip):
            return self._take_back(RULES[1])
        for one_slip in _distinct(
            [
                slip,
                *[
                    user
                    for one in [self.workers[one["worker_id"]] for one in added_items]
                    for user in self._slips_by_worker.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3_s(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct(
            [
                slip,
                *[
                    user
                    for one in [self.workers[one["worker_id"]] for one in added_items]
                    for user in self._slips_by_worker.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3_s_again(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct([slip, *[self.slips[one["slip_id"]] for one in added_withholdings]]):
            if self._breaks_rule_4(one_slip):
                return self._take_back(RULES[3])
        for one_garnishment in _distinct([self.garnishments[one["garnishment_id"]] for one in added_withholdings]):
            if self._breaks_rule_5_g(one_garnishment):
                return self._take_back(RULES[4])
        for one_withholding in _distinct(added_withholdings):
            if self._breaks_rule_5_w(one_withholding):
                return self._take_back(RULES[4])
        for one_garnishment in _distinct([self.garnishments[one["garnishment_id"]] for one in added_withholdings]):
            if self._breaks_rule_7(one_garnishment):
                return self._take_back(RULES[6])
        for one_item in _distinct(added_items):
            if self._breaks_rule_8_i(one_item):
                return self._take_back(RULES[7])
        for one_item in _distinct(added_items):
            if self._breaks_rule_8_i_again(one_item):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_p(self.periods[slip["period_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_w(self.workers[slip["worker_id"]]):
            return self._take_back(RULES[9])
        for one_slip in _distinct([slip, *self._slips_by_worker.get(slip["worker_id"], {}).values()]):
            if self._breaks_rule_10_s(one_slip):
                return self._take_back(RULES[9])
        done = f"calculate the slip of {worker['name']}"
        if wage is not None:
            done += f" with a wage of {_money(wage)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: slip {slip['id']}).",
            "data": {"slip_id": slip["id"], **self._changes()},
        }

    def reopen_slip(self, slip_id: str) -> Result:
        """Undo a slip of the open payroll, so that items and claims can be changed.

        Args:
            slip_id (str): Id of the slip, such as SLIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slip = self.slips.get(slip_id)
        if slip is None:
            return _refused(f"There is no slip {slip_id!r}.")
        if self.periods[slip["period_id"]]["status"] != "open":
            return _refused(f"{self.periods[slip['period_id']]['name']} is locked.")
        self._journal = []
        deleted_withholdings: list[Any] = []
        deleted_items: list[Any] = []
        for w in sorted(self._withholdings_by_slip.get(slip_id, {}).values(), key=_age):
            if w["id"] in self.withholdings:
                self._remove("withholdings", w)
            deleted_withholdings.append(w)
        for i in [
            i
            for i in sorted(
                self._items_by_worker_period.get((slip["worker_id"], slip["period_id"]), {}).values(),
                key=_age,
            )
            if i["recurring_id"] is not None
        ]:
            if i["id"] in self.items:
                self._remove("items", i)
            deleted_items.append(i)
        if slip["id"] in self.slips:
            self._remove("slips", slip)
        for one_item in deleted_items:
            users = len(self._items_by_correction_of.get(one_item["id"], {}))
            if users:
                return self._take_back(
                    f"Item {one_item['id']} is still used by {users} {'item' if users == 1 else 'items'}."
                )
        users = len(self._withholdings_by_slip.get(slip["id"], {}))
        if users:
            return self._take_back(
                f"Slip {slip['id']} is still used by {users} {'withholding' if users == 1 else 'withholdings'}."
            )
        for one_slip in _distinct(
            [
                user
                for one in [self.workers[one["worker_id"]] for one in deleted_items]
                for user in self._slips_by_worker.get(one["id"], {}).values()
            ]
        ):
            if one_slip["id"] in self.slips and self._breaks_rule_3_s(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct(
            [
                user
                for one in [self.workers[one["worker_id"]] for one in deleted_items]
                for user in self._slips_by_worker.get(one["id"], {}).values()
            ]
        ):
            if one_slip["id"] in self.slips and self._breaks_rule_3_s_again(one_slip):
                return self._take_back(RULES[2])
        for one_slip in _distinct([self.slips.get(one["slip_id"]) for one in deleted_withholdings]):
            if one_slip["id"] in self.slips and self._breaks_rule_4(one_slip):
                return self._take_back(RULES[3])
        for one_garnishment in _distinct([self.garnishments[one["garnishment_id"]] for one in deleted_withholdings]):
            if self._breaks_rule_5_g(one_garnishment):
                return self._take_back(RULES[4])
        for one_withholding in _distinct(self._withholdings_by_slip.get(slip["id"], {}).values()):
            if one_withholding["id"] in self.withholdings and self._breaks_rule_5_w(one_withholding):
                return self._take_back(RULES[4])
        for one_garnishment in _distinct([self.garnishments[one["garnishment_id"]] for one in deleted_withholdings]):
            if self._breaks_rule_7(one_garnishment):
                return self._take_back(RULES[6])
        for one_item_2 in _distinct(
            [user for one in deleted_items for user in self._items_by_correction_of.get(one["id"], {}).values()]
        ):
            if one_item_2["id"] in self.items and self._breaks_rule_8_i_again(one_item_2):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_p(self.periods[slip["period_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_w(self.workers[slip["worker_id"]]):
            return self._take_back(RULES[9])
        for one_slip in _distinct(self._slips_by_worker.get(slip["worker_id"], {}).values()):
            if one_slip["id"] in self.slips and self._breaks_rule_10_s(one_slip):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: reopen the slip of {self.workers[slip['worker_id']]['name']} for "
                f"{self.periods[slip['period_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def clear_slip(self, slip_id: str) -> Result:
        """Clear a flagged slip, whose net pay differs by more than a fifth from the month before.

        Args:
            slip_id (str): Id of the slip, such as SLIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slip = self.slips.get(slip_id)
        if slip is None:
            return _refused(f"There is no slip {slip_id!r}.")
        if not self._slip_flagged(slip):
            return _refused(
                f"The slip of {self.workers[slip['worker_id']]['name']} for "
                f"{self.periods[slip['period_id']]['name']} is not flagged."
            )
        if slip["cleared"]:
            return _refused(
                f"The slip of {self.workers[slip['worker_id']]['name']} for "
                f"{self.periods[slip['period_id']]['name']} has been cleared."
            )
        self._journal = []
        self._put("slips", slip, "cleared", True)
        if self._breaks_rule_10_s(slip):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: clear the slip of {self.workers[slip['worker_id']]['name']} for "
                f"{self.periods[slip['period_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def lock_period(self, period_id: str) -> Result:
        """Lock the open payroll once everybody has a slip; the next month opens and claims that are paid in full are
        settled.

        Args:
            period_id (str): Id of the period, such as PERIOD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        period = self.periods.get(period_id)
        if period is None:
            return _refused(f"There is no period {period_id!r}.")
        if period["status"] != "open":
            return _refused(f"{period['name']} is {period['status']}.")
        if self.now[:10] < _plus_days(period["month"], 21):
            return _refused(f"{period['name']} is locked on {_plus_days(period['month'], 21)} or later.")
        lacking = next((w for w in self.workers.values() if self._slip_of(w, period) is None), None)
        if lacking is not None:
            return _refused(f"{lacking['name']} has no slip for {period['name']}.")
        odd = next(
            (
                s
                for s in sorted(self._slips_by_period.get(period_id, {}).values(), key=_age)
                if self._slip_flagged(s)
                and not s["cleared"]
            ),
            None,
        )
        if odd is not None:
            return _refused(
                f"The slip of {self.workers[odd['worker_id']]['name']} is flagged and has not been cleared."
            )
        self._journal = []
        changed_periods: list[Any] = []
        changed_garnishments: list[Any] = []
        self._put("periods", period, "status", "locked")
        for p in sorted(self._periods_by_status.get("planned", {}).values(), key=lambda p: (p["month"], _age(p)))[:1]:
            if p["status"] not in ("planned", "open"):
                return self._take_back(f"Period {p['name']} cannot go from {p['status']} to open.")
            changed_periods.append(p)
            self._put("periods", p, "status", "open")
        for g in [
            g
            for g in sorted(self._garnishments_by_status.get("running", {}).values(), key=_age)
            if self._garnishment_left(g) == 0
        ]:
            if g["status"] not in ("running", "settled"):
                return self._take_back(f"Garnishment {g['id']} cannot go from {g['status']} to settled.")
            changed_garnishments.append(g)
            self._put("garnishments", g, "status", "settled")
        for one_period in _distinct([period, *changed_periods]):
            if self._breaks_rule_1(one_period):
                return self._take_back(RULES[0])
        for one_garnishment in _distinct(changed_garnishments):
            if self._breaks_rule_6_g(one_garnishment):
                return self._take_back(RULES[5])
        for one_garnishment in _distinct(changed_garnishments):
            if self._breaks_rule_6_g_again(one_garnishment):
                return self._take_back(RULES[5])
        for one_garnishment in _distinct(changed_garnishments):
            if self._breaks_rule_7(one_garnishment):
                return self._take_back(RULES[6])
        for one_period in _distinct([period, *changed_periods]):
            if self._breaks_rule_10_p(one_period):
                return self._take_back(RULES[9])
        for one_slip in _distinct(
            [
                *self._slips_by_period.get(period["id"], {}).values(),
                *[user for one in changed_periods for user in self._slips_by_period.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_10_s(one_slip):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: lock {period['name']}.", "data": self._changes()}

    def register_garnishment(
        self,
        worker_id: str,
        creditor: Text,
        total: Annotated[int, {"minimum": 1000, "maximum": 3000000}],
        rank: Annotated[int, {"minimum": 1, "maximum": 9}] | None = None,
    ) -> Result:
        """Register a creditor's claim on a worker at a rank, pushing later ones back, or behind all others.

        Args:
            worker_id (str): Id of the worker, such as WORKER-00001.
            creditor (str): Name of the creditor who has the claim.
            total (int): Whole sum that the creditor claims, in cents, from 1000 to 3000000.
            rank (int, optional): Place in the order in which creditors are paid, the first one being 1, from 1 to
                9. If left out, the claim comes behind all others.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        worker = self.workers.get(worker_id)
        if worker is None:
            return _refused(f"There is no worker {worker_id!r}.")
        others = [
            g
            for g in sorted(self._garnishments_by_worker.get(worker_id, {}).values(), key=_age)
            if g["status"] != "settled"
        ]
        if any(g["creditor"].lower() == creditor.lower() for g in others):
            return _refused(f"{creditor} has a claim on {worker['name']} already.")
        last = (
            max((g["rank"] for g in others), default=None)
            if max((g["rank"] for g in others), default=None) is not None
            else 0
        )
        if rank is not None and rank > last + 1:
            return _refused(f"The next free rank for {worker['name']} is {last + 1}.")
        if last >= 9:
            return _refused(f"{worker['name']} has nine claims already.")
        if any(
            self.periods[s["period_id"]]["status"] == "open"
            for s in self._slips_by_worker.get(worker_id, {}).values()
        ):
            return _refused(f"The slip of {worker['name']} is calculated; reopen it first.")
        self._journal = []
        changed_garnishments: list[Any] = []
        place = rank if rank is not None else last + 1
        for g in sorted(others, key=lambda g: (-g["rank"], _age(g))):
            if g["rank"] >= place:
                new_rank = g["rank"] + 1
                if not 1 <= new_rank <= 12:
                    return self._take_back(f"The rank of {g['id']} must be between 1 and 12.")
                changed_garnishments.append(g)
                self._put("garnishments", g, "rank", new_rank)
        if not 1 <= place <= 12:
            return self._take_back("The rank of a garnishment must be between 1 and 12.")
        garnishment: Garnishment = {
            "id": self._new_id("garnishment", "GARNISHMENT", self.garnishments),
            "worker_id": worker_id,
            "creditor": creditor,
            "rank": place,
            "total": total,
            "status": "running",
        }
        self._add("garnishments", garnishment)
        if self._breaks_rule_5_g(garnishment):
            return self._take_back(RULES[4])
        for one_garnishment in _distinct([garnishment, *changed_garnishments]):
            if self._breaks_rule_6_g(one_garnishment):
                return self._take_back(RULES[5])
        if self._breaks_rule_6_g_again(garnishment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(garnishment):
            return self._take_back(RULES[6])
        done = f"register the claim of {creditor} over {_money(total)} on {worker['name']}"
        if rank is not None:
            done += f" at rank {rank}"
        return {
            "success": True,
            "message": f"Done: {done} (new: garnishment {garnishment['id']}).",
            "data": {"garnishment_id": garnishment["id"], **self._changes()},
        }

    def hold_garnishment(self, garnishment_id: str) -> Result:
        """Hold a claim, which then gets nothing until it is resumed.

        Args:
            garnishment_id (str): Id of the garnishment, such as GARNISHMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        garnishment = self.garnishments.get(garnishment_id)
        if garnishment is None:
            return _refused(f"There is no garnishment {garnishment_id!r}.")
        if garnishment["status"] != "running":
            return _refused(
                f"The claim of {garnishment['creditor']} on {self.workers[garnishment['worker_id']]['name']} is "
                f"{garnishment['status']}."
            )
        if any(
            self.periods[s["period_id"]]["status"] == "open"
            for s in self._slips_by_worker.get(garnishment["worker_id"], {}).values()
        ):
            return _refused(
                f"The slip of {self.workers[garnishment['worker_id']]['name']} is calculated; reopen it first."
            )
        self._journal = []
        self._put("garnishments", garnishment, "status", "held")
        if self._breaks_rule_6_g(garnishment):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_g_again(garnishment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(garnishment):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: hold the claim of {garnishment['creditor']} on "
                f"{self.workers[garnishment['worker_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def resume_garnishment(self, garnishment_id: str) -> Result:
        """Let a held claim get money again from the next slip on.

        Args:
            garnishment_id (str): Id of the garnishment, such as GARNISHMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        garnishment = self.garnishments.get(garnishment_id)
        if garnishment is None:
            return _refused(f"There is no garnishment {garnishment_id!r}.")
        if garnishment["status"] != "held":
            return _refused(
                f"The claim of {garnishment['creditor']} on {self.workers[garnishment['worker_id']]['name']} is "
                f"{garnishment['status']}."
            )
        if any(
            self.periods[s["period_id"]]["status"] == "open"
            for s in self._slips_by_worker.get(garnishment["worker_id"], {}).values()
        ):
            return _refused(
                f"The slip of {self.workers[garnishment['worker_id']]['name']} is calculated; reopen it first."
            )
        self._journal = []
        self._put("garnishments", garnishment, "status", "running")
        if self._breaks_rule_6_g(garnishment):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_g_again(garnishment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(garnishment):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: resume the claim of {garnishment['creditor']} on "
                f"{self.workers[garnishment['worker_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_slip(self, slip: Slip) -> dict[str, Any]:
        """The slip as an answer shows it."""
        return {
            **slip,
            "withheld": self._slip_withheld(slip),
            "payout": self._slip_payout(slip),
            "before_id": _id_of(self._slip_before(slip)),
            "flagged": self._slip_flagged(slip),
        }

    def _show_garnishment(self, garnishment: Garnishment) -> dict[str, Any]:
        """The garnishment as an answer shows it."""
        return {
            **garnishment,
            "paid": self._garnishment_paid(garnishment),
            "left": self._garnishment_left(garnishment),
        }

    def _names_of_recurrings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that recurrings point to."""
        return _names(
            (self.workers, "name", [row["worker_id"] for row in shown]),
            (self.elements, "name", [row["element_id"] for row in shown]),
        )

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.workers, "name", [row["worker_id"] for row in shown]),
            (self.periods, "name", [row["period_id"] for row in shown]),
            (self.elements, "name", [row["element_id"] for row in shown]),
        )

    def _names_of_slips(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that slips point to."""
        return _names(
            (self.workers, "name", [row["worker_id"] for row in shown]),
            (self.periods, "name", [row["period_id"] for row in shown]),
        )

    def _names_of_garnishments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that garnishments point to."""
        return _names((self.workers, "name", [row["worker_id"] for row in shown]))

    def _slip_withheld(self, slip: Slip) -> int:
        """The withheld of a slip."""
        return sum(w["amount"] for w in self._withholdings_by_slip.get(slip["id"], {}).values())

    def _slip_payout(self, slip: Slip) -> int:
        """The payout of a slip."""
        return slip["net"] - self._slip_withheld(slip)

    def _slip_before(self, slip: Slip) -> Slip | None:
        """The before of a slip."""
        return min(
            (
                s
                for s in self._slips_by_worker.get(slip["worker_id"], {}).values()
                if self.periods[s["period_id"]]["month"] < self.periods[slip["period_id"]]["month"]
            ),
            key=lambda s: (_descending(self.periods[s["period_id"]]["month"]), _age(s)),
            default=None,
        )

    def _slip_flagged(self, slip: Slip) -> bool:
        """The flagged of a slip."""
        return (
            self._slip_before(slip) is not None
            and abs(slip["net"] - self._slip_before(slip)["net"]) * 5 > self._slip_before(slip)["net"]
        )

    def _garnishment_paid(self, garnishment: Garnishment) -> int:
        """The paid of a garnishment."""
        return sum(w["amount"] for w in self._withholdings_by_garnishment.get(garnishment["id"], {}).values())

    def _garnishment_left(self, garnishment: Garnishment) -> int:
        """The left of a garnishment."""
        return garnishment["total"] - self._garnishment_paid(garnishment)

    def _slip_of(self, w: Worker, p: Period) -> Slip | None:
        return next(
            (s for s in sorted(self._slips_by_worker_period.get((w["id"], p["id"]), {}).values(), key=_age)),
            None,
        )

    def _sum_of(self, w: Worker, p: Period, sign: str) -> int:
        return sum(
            i["amount"]
            for i in self._items_by_worker_period.get((w["id"], p["id"]), {}).values()
            if self.elements[i["element_id"]]["sign"] == sign
        )

    def _regular(self, w: Worker, sign: str) -> int:
        return sum(
            r["amount"]
            for r in self._recurrings_by_worker.get(w["id"], {}).values()
            if r["running"]
            and self.elements[r["element_id"]]["sign"] == sign
        )

    def _tax(self, gross: int) -> int:
        return (
            _rounded(Fraction(gross * 18, 100))
            if gross <= 300000
            else _rounded(54000 + Fraction((gross - 300000) * 32, 100))
        )

    def _breaks_rule_1(self, p: Period) -> bool:
        """Whether this is broken: only one payroll is open at a time."""
        return (
            p["status"] == "open"
            and any(
                other_p is not p
                for other_p in self._periods_by_status.get(p["status"], {}).values()
                if other_p["status"] == "open"
            )
        )

    def _breaks_rule_2(self, s: Slip) -> bool:
        """Whether this is broken: a worker has one slip a month."""
        return any(
            other_s is not s
            for other_s in self._slips_by_worker_period.get((s["worker_id"], s["period_id"]), {}).values()
        )

    def _breaks_rule_3_s(self, s: Slip) -> bool:
        """Whether this is broken: a slip contains every item of its month, so nothing is booked behind its back."""
        return (
            s["gross"] != s["wage"]
            + self._sum_of(self.workers[s["worker_id"]], self.periods[s["period_id"]], "earning")
        )

    def _breaks_rule_3_s_again(self, s: Slip) -> bool:
        """Whether this is broken: a slip contains every item of its month, so nothing is booked behind its back."""
        return (
            s["net"] != s["gross"]
            - self._tax(s["gross"])
            - self._sum_of(self.workers[s["worker_id"]], self.periods[s["period_id"]], "deduction")
        )

    def _breaks_rule_4(self, s: Slip) -> bool:
        """Whether this is broken: garnishments leave the protected minimum to the worker."""
        return self._slip_withheld(s) != 0 and self._slip_payout(s) < s["protected"]

    def _breaks_rule_5_g(self, g: Garnishment) -> bool:
        """Whether this is broken: no creditor gets more than the claim, and only from the worker who owes it."""
        return self._garnishment_paid(g) > g["total"]

    def _breaks_rule_5_w(self, w: Withholding) -> bool:
        """Whether this is broken: no creditor gets more than the claim, and only from the worker who owes it."""
        return self.slips[w["slip_id"]]["worker_id"] != self.garnishments[w["garnishment_id"]]["worker_id"]

    def _breaks_rule_6_g(self, g: Garnishment) -> bool:
        """Whether this is broken: the claims on a worker have different ranks and different creditors."""
        return (
            g["status"] != "settled"
            and any(
                other_g is not g
                for other_g in self._garnishments_by_worker.get(g["worker_id"], {}).values()
                if other_g["rank"] == g["rank"]
                and other_g["status"] != "settled"
            )
        )

    def _breaks_rule_6_g_again(self, g: Garnishment) -> bool:
        """Whether this is broken: the claims on a worker have different ranks and different creditors."""
        return (
            g["status"] != "settled"
            and any(
                other_g is not g
                for other_g in self._garnishments_by_worker.get(g["worker_id"], {}).values()
                if other_g["creditor"] == g["creditor"]
                and other_g["status"] != "settled"
            )
        )

    def _breaks_rule_7(self, g: Garnishment) -> bool:
        """Whether this is broken: a settled claim is paid in full."""
        return g["status"] == "settled" and self._garnishment_left(g) != 0

    def _breaks_rule_8_i(self, i: Item) -> bool:
        """Whether this is broken: an item is corrected once, in a later month, for the same worker and element."""
        return (
            i["correction_of_id"] is not None
            and any(
                other_i is not i
                for other_i in self._items_by_correction_of.get(i["correction_of_id"], {}).values()
                if other_i["correction_of_id"] is not None
            )
        )

    def _breaks_rule_8_i_again(self, i: Item) -> bool:
        """Whether this is broken: an item is corrected once, in a later month, for the same worker and element."""
        return not (
            i["correction_of_id"] is None
            or self.items[i["correction_of_id"]]["worker_id"] == i["worker_id"]
            and self.items[i["correction_of_id"]]["element_id"] == i["element_id"]
            and self.periods[
                self.items[i["correction_of_id"]]["period_id"]
            ]["month"] < self.periods[i["period_id"]]["month"]
            and self.items[i["correction_of_id"]]["correction_of_id"] is None
        )

    def _breaks_rule_9(self, r: Recurring) -> bool:
        """Whether this is broken: a worker has one recurring amount for an element."""
        return (
            r["running"]
            and any(
                other_r is not r
                for other_r in self._recurrings_by_worker_element.get((r["worker_id"], r["element_id"]), {}).values()
                if other_r["running"]
            )
        )

    def _breaks_rule_10_p(self, p: Period) -> bool:
        """Whether this is broken: in a locked month everybody has a slip, and each slip that was flagged has been
        cleared.
        """
        return (
            p["status"] == "locked"
            and any(not self._slips_by_worker_period.get((w["id"], p["id"]), {}) for w in self.workers.values())
        )

    def _breaks_rule_10_w(self, w: Worker) -> bool:
        """Whether this is broken: in a locked month everybody has a slip, and each slip that was flagged has been
        cleared.
        """
        return any(
            not self._slips_by_worker_period.get((w["id"], p["id"]), {})
            for p in self._periods_by_status.get("locked", {}).values()
        )

    def _breaks_rule_10_s(self, s: Slip) -> bool:
        """Whether this is broken: in a locked month everybody has a slip, and each slip that was flagged has been
        cleared.
        """
        return self.periods[s["period_id"]]["status"] == "locked" and (not s["cleared"] and self._slip_flagged(s))

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
            case "periods":
                self._periods_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "recurrings":
                self._recurrings_by_worker.setdefault(record["worker_id"], {})[record["id"]] = record
                self._recurrings_by_worker_element.setdefault(
                    (record["worker_id"], record["element_id"]),
                    {},
                )[record["id"]] = record
            case "items":
                self._items_by_correction_of.setdefault(record["correction_of_id"], {})[record["id"]] = record
                self._items_by_worker.setdefault(record["worker_id"], {})[record["id"]] = record
                self._items_by_worker_period.setdefault(
                    (record["worker_id"], record["period_id"]),
                    {},
                )[record["id"]] = record
            case "slips":
                self._slips_by_period.setdefault(record["period_id"], {})[record["id"]] = record
                self._slips_by_worker.setdefault(record["worker_id"], {})[record["id"]] = record
                self._slips_by_worker_period.setdefault(
                    (record["worker_id"], record["period_id"]),
                    {},
                )[record["id"]] = record
            case "garnishments":
                self._garnishments_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._garnishments_by_worker.setdefault(record["worker_id"], {})[record["id"]] = record
                self._garnishments_by_worker_status.setdefault(
                    (record["worker_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "withholdings":
                self._withholdings_by_garnishment.setdefault(record["garnishment_id"], {})[record["id"]] = record
                self._withholdings_by_slip.setdefault(record["slip_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "periods":
                del self._periods_by_status[record["status"]][record["id"]]
            case "recurrings":
                del self._recurrings_by_worker[record["worker_id"]][record["id"]]
                del self._recurrings_by_worker_element[record["worker_id"], record["element_id"]][record["id"]]
            case "items":
                del self._items_by_correction_of[record["correction_of_id"]][record["id"]]
                del self._items_by_worker[record["worker_id"]][record["id"]]
                del self._items_by_worker_period[record["worker_id"], record["period_id"]][record["id"]]
            case "slips":
                del self._slips_by_period[record["period_id"]][record["id"]]
                del self._slips_by_worker[record["worker_id"]][record["id"]]
                del self._slips_by_worker_period[record["worker_id"], record["period_id"]][record["id"]]
            case "garnishments":
                del self._garnishments_by_status[record["status"]][record["id"]]
                del self._garnishments_by_worker[record["worker_id"]][record["id"]]
                del self._garnishments_by_worker_status[record["worker_id"], record["status"]][record["id"]]
            case "withholdings":
                del self._withholdings_by_garnishment[record["garnishment_id"]][record["id"]]
                del self._withholdings_by_slip[record["slip_id"]][record["id"]]
