"""Incoming quality inspection. Compiled from blueprint.yaml; run `envscaler build quality_inspection` after changing it there.

Samples the lots of suppliers by plan, counts defects, lets a board decide about failed lots, moves suppliers
between inspection stages and follows up corrective actions.
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
    "No more defective pieces are counted than were sampled.",
    "A lot that failed is accepted only after the board has decided.",
    "A lot passes only without critical defects and within the points of its plan.",
    "Each department of the board votes once about a lot.",
    "A disposition has the votes of all three departments, at least two of them for it.",
    "A lot with critical defects is never used as it is.",
    "The lots of a supplier are judged one after the other.",
    "A suspended supplier has nothing waiting for inspection.",
    "A supplier with a corrective action under way is not on reduced inspection.",
    "A lot has at most one corrective action, and only one that failed.",
    "A closed action has a root cause and was closed by the quality department.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_lot",
    "record_defects",
    "judge_lot",
    "cast_vote",
    "decide_lot",
    "finish_sorting",
    "demand_action",
    "answer_action",
    "review_action",
    "switch_stage",
)
"""The methods that may change something; all others only read."""

SUPPLIER_STAGE_MOVES = {
    ("normal", "tightened"),
    ("normal", "reduced"),
    ("tightened", "normal"),
    ("tightened", "suspended"),
    ("reduced", "normal"),
    ("suspended", "tightened"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "suppliers": ("name",),
    "plans": ("code",),
    "lots": ("number",),
    "defects": (),
    "members": ("name",),
    "votes": (),
    "actions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("actions", "lot_id"),
    ("defects", "lot_id"),
    ("defects", "severity"),
    ("lots", "number"),
    ("lots", "status"),
    ("lots", "supplier_id"),
    ("votes", "lot_id"),
    ("votes", "member_id"),
    ("votes", "verdict"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Supplier(TypedDict):
    id: str
    name: str
    stage: Literal["normal", "tightened", "reduced", "suspended"]
    since: int


class Plan(TypedDict):
    id: str
    code: str
    stage: Literal["normal", "tightened", "reduced"]
    lot_from: int
    sample: int
    points: int


class Lot(TypedDict):
    id: str
    number: str
    supplier_id: str
    item: str
    quantity: int
    received_on: str
    sample: int
    allowed: int
    judged: int
    passed: bool
    disposition: Literal["use_as_is", "sort", "return"] | None
    status: Literal["arrived", "accepted", "blocked", "sorting", "returned"]


class Defect(TypedDict):
    id: str
    lot_id: str
    kind: str
    severity: Literal["critical", "major", "minor"]
    pieces: int


class Member(TypedDict):
    id: str
    name: str
    department: Literal["quality", "purchasing", "engineering"]


class Vote(TypedDict):
    id: str
    lot_id: str
    member_id: str
    verdict: Literal["use_as_is", "sort", "return"]


class Action(TypedDict):
    id: str
    lot_id: str
    due: str
    root_cause: str | None
    closed_by_id: str | None
    status: Literal["open", "answered", "closed"]


class RecordDefectsFinding(TypedDict):
    kind: Text
    severity: Literal["critical", "major", "minor"]
    pieces: Annotated[int, {"minimum": 1, "maximum": 500}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class QualityInspection:
    """Samples the lots of suppliers by plan, counts defects, lets a board decide about failed lots, moves
    suppliers between inspection stages and follows up corrective actions.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.suppliers: dict[str, Supplier] = _copied(config.get("suppliers", {}))
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.votes: dict[str, Vote] = _copied(config.get("votes", {}))
        self.actions: dict[str, Action] = _copied(config.get("actions", {}))
        self.now: str = config.get("now", "2026-05-29T07:45")
        self.counters: dict[str, int] = {
            "supplier": len(self.suppliers),
            "plan": len(self.plans),
            "lot": len(self.lots),
            "defect": len(self.defects),
            "member": len(self.members),
            "vote": len(self.votes),
            "action": len(self.actions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lots_by_number: dict[Any, dict[str, Lot]] = {}
        self._lots_by_status: dict[Any, dict[str, Lot]] = {}
        self._lots_by_supplier: dict[Any, dict[str, Lot]] = {}
        self._lots_by_supplier_status: dict[Any, dict[str, Lot]] = {}
        self._defects_by_lot: dict[Any, dict[str, Defect]] = {}
        self._defects_by_lot_severity: dict[Any, dict[str, Defect]] = {}
        self._votes_by_lot: dict[Any, dict[str, Vote]] = {}
        self._votes_by_lot_member: dict[Any, dict[str, Vote]] = {}
        self._votes_by_lot_verdict: dict[Any, dict[str, Vote]] = {}
        self._actions_by_lot: dict[Any, dict[str, Action]] = {}
        for lot in self.lots.values():
            self._link("lots", lot)
        for defect in self.defects.values():
            self._link("defects", defect)
        for vote in self.votes.values():
            self._link("votes", vote)
        for action in self.actions.values():
            self._link("actions", action)

    def board_agenda(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Blocked lots that the board has to decide about, with the votes so far, the largest first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        found = [l for l in self._lots_by_status.get("blocked", {}).values()]
        found.sort(key=lambda l: (-l["quantity"], l["number"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lots": [
                    {
                        "id": l["id"],
                        "number": l["number"],
                        "supplier": self.suppliers[l["supplier_id"]]["name"],
                        "quantity": l["quantity"],
                        "critical": self._lot_critical(l),
                        "points": self._lot_points(l),
                        "allowed": l["allowed"],
                        "quality": self._voted(l, "quality"),
                        "purchasing": self._voted(l, "purchasing"),
                        "engineering": self._voted(l, "engineering"),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def supplier_record(self, supplier_id: str) -> Result:
        """How a supplier has done lately; failures are counted among the last lots judged since the last switch of
        stage.

        Args:
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.

        Returns:
            dict: {"success": True, "data": {stage, judged, judged_since_switch, failed_of_last_2,
                failed_of_last_3, failed_of_last_5, open_actions, waiting}} or {"success": False, "error": why not}
        """
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        return _found(
            {
                "stage": supplier["stage"],
                "judged": self._supplier_judged(supplier),
                "judged_since_switch": self._supplier_judged(supplier) - supplier["since"],
                "failed_of_last_2": self._failures(supplier, 2),
                "failed_of_last_3": self._failures(supplier, 3),
                "failed_of_last_5": self._failures(supplier, 5),
                "open_actions": self._supplier_open_actions(supplier),
                "waiting": len(self._lots_by_supplier_status.get((supplier_id, "arrived"), {})),
            }
        )

    def sampling_plan(self, supplier_id: str, quantity: Annotated[int, {"minimum": 1, "maximum": 5000}]) -> Result:
        """How many pieces of a lot would be sampled from a supplier, and how many points are allowed.

        Args:
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            quantity (int): Pieces that the lot would have, from 1 to 5000.

        Returns:
            dict: {"success": True, "data": {sample, points}} or {"success": False, "error": why not}
        """
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if supplier["stage"] == "suspended":
            return _refused(f"{supplier['name']} is suspended.")
        plan = self._plan_for(supplier["stage"], quantity)
        if plan is None:
            return _refused(f"There is no plan for {quantity} pieces.")
        return _found({"sample": min(plan["sample"], quantity), "points": plan["points"]})

    def get_supplier(self, supplier_id: str) -> Result:
        """Look up one supplier by its id.

        Args:
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        return _found(self._show_supplier(supplier))

    def list_suppliers(
        self,
        name: Text | None = None,
        stage: Literal["normal", "tightened", "reduced", "suspended"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the suppliers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only suppliers whose name contains this text.
            stage (str, optional): Only suppliers with this stage.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "suppliers": records}}
        """
        found = [
            supplier
            for supplier in self.suppliers.values()
            if (name is None or name.casefold() in supplier["name"].casefold())
            and (stage is None or supplier["stage"] == stage)
        ]
        return _found(
            {"total": len(found), "suppliers": [self._show_supplier(supplier) for supplier in _page(found, offset)]}
        )

    def get_lot(self, lot_id: str) -> Result:
        """Look up one lot by its id.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        shown = self._show_lot(lot)
        return _found(shown, self._names_of_lots([shown]))

    def list_lots(
        self,
        number: Text | None = None,
        supplier_id: str | None = None,
        passed: bool | None = None,
        disposition: Literal["use_as_is", "sort", "return"] | None = None,
        status: Literal["arrived", "accepted", "blocked", "sorting", "returned"] | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            number (str, optional): Only lots whose number contains this text.
            supplier_id (str, optional): Only lots of this supplier.
            passed (bool, optional): Only lots with this value of `passed`.
            disposition (str, optional): Only lots with this disposition.
            status (str, optional): Only lots with this status.
            received_on_from (str, optional): Only lots whose `received_on` is on this day or later.
            received_on_to (str, optional): Only lots whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if supplier_id is not None and supplier_id not in self.suppliers:
            return _refused(f"There is no supplier {supplier_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (number is None or number.casefold() in lot["number"].casefold())
            and (supplier_id is None or lot["supplier_id"] == supplier_id)
            and (passed is None or lot["passed"] == passed)
            and (disposition is None or lot["disposition"] == disposition)
            and (status is None or lot["status"] == status)
            and (received_on_from is None or lot["received_on"] >= received_on_from)
            and (received_on_to is None or lot["received_on"] <= received_on_to)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_defects(
        self,
        lot_id: str | None = None,
        severity: Literal["critical", "major", "minor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only defects of this lot.
            severity (str, optional): Only defects with this severity.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (lot_id is None or defect["lot_id"] == lot_id)
            and (severity is None or defect["severity"] == severity)
        ]
        shown = [{**defect} for defect in _page(found, offset)]
        return _found({"total": len(found), "defects": shown}, self._names_of_defects(shown))

    def list_members(
        self,
        name: Text | None = None,
        department: Literal["quality", "purchasing", "engineering"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            department (str, optional): Only members with this department.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (department is None or member["department"] == department)
        ]
        return _found({"total": len(found), "members": [{**member} for member in _page(found, offset)]})

    def list_votes(
        self,
        lot_id: str | None = None,
        member_id: str | None = None,
        verdict: Literal["use_as_is", "sort", "return"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the votes, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only votes of this lot.
            member_id (str, optional): Only votes of this member.
            verdict (str, optional): Only votes with this verdict.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "votes": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            vote
            for vote in self.votes.values()
            if (lot_id is None or vote["lot_id"] == lot_id)
            and (member_id is None or vote["member_id"] == member_id)
            and (verdict is None or vote["verdict"] == verdict)
        ]
        shown = [{**vote} for vote in _page(found, offset)]
        return _found({"total": len(found), "votes": shown}, self._names_of_votes(shown))

    def list_actions(
        self,
        lot_id: str | None = None,
        closed_by_id: str | None = None,
        status: Literal["open", "answered", "closed"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the actions, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only actions of this lot.
            closed_by_id (str, optional): Only actions closed by this member.
            status (str, optional): Only actions with this status.
            due_from (str, optional): Only actions whose `due` is on this day or later.
            due_to (str, optional): Only actions whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "actions": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        if closed_by_id is not None and closed_by_id not in self.members:
            return _refused(f"There is no member {closed_by_id!r}.")
        found = [
            action
            for action in self.actions.values()
            if (lot_id is None or action["lot_id"] == lot_id)
            and (closed_by_id is None or action["closed_by_id"] == closed_by_id)
            and (status is None or action["status"] == status)
            and (due_from is None or action["due"] >= due_from)
            and (due_to is None or action["due"] <= due_to)
        ]
        shown = [{**action} for action in _page(found, offset)]
        return _found({"total": len(found), "actions": shown}, self._names_of_actions(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_lot(
        self,
        number: Text,
        supplier_id: str,
        item: Text,
        quantity: Annotated[int, {"minimum": 1, "maximum": 5000}],
    ) -> Result:
        """Receive a lot; the plan for the supplier's stage and the lot size fixes the sample.

        Args:
            number (str): Number of the new lot, not in use yet.
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            item (str): What was delivered, in words.
            quantity (int): Pieces in the lot, from 1 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if self._lots_by_number.get(number, {}):
            return _refused(f"There is a lot {number} already.")
        if supplier["stage"] == "suspended":
            return _refused(f"{supplier['name']} is suspended, so nothing is received.")
        plan = self._plan_for(supplier["stage"], quantity)
        if plan is None:
            return _refused(f"There is no sampling plan for {quantity} pieces on {supplier['stage']} inspection.")
        self._journal = []
        sample = min(plan["sample"], quantity)
        if not 1 <= sample <= 500:
            return self._take_back("The sample of a lot must be between 1 and 500.")
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "number": number,
            "supplier_id": supplier_id,
            "item": item,
            "quantity": quantity,
            "received_on": self.now[:10],
            "sample": sample,
            "allowed": plan["points"],
            "judged": 0,
            "passed": False,
            "disposition": None,
            "status": "arrived",
        }
        self._add("lots", lot)
        if len(self._lots_by_number.get(lot["number"], {})) > 1:
            return self._take_back(f"There is already a lot with the number {lot['number']!r}.")
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lot):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(lot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(lot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_l_again(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lot):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: receive lot {number} of {quantity} {item} from {supplier['name']} (new: lot {lot['id']})."
            ),
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def record_defects(
        self,
        lot_id: str,
        findings: Annotated[list[RecordDefectsFinding], {"maxItems": 20}],
    ) -> Result:
        """Record the defects found in the sample of a lot that is still to be judged.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            findings (list): One entry for each kind of defect and severity: kind: what is wrong, in words;
                severity: how serious the defect is: critical, major or minor; pieces: pieces of the sample that
                have the defect, from 1 to 500.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "arrived":
            return _refused(f"Lot {lot['number']} is {lot['status']}.")
        if len(findings) <= 0:
            return _refused("Name at least one finding; a lot without any is simply judged.")
        if not _different([(f["kind"], f["severity"]) for f in findings]):
            return _refused("A kind of defect is named twice.")
        if self._found(lot) + sum(f["pieces"] for f in findings) > lot["sample"]:
            return _refused(f"Only {lot['sample']} pieces of lot {lot['number']} were sampled.")
        self._journal = []
        added_defects: list[Any] = []
        for f in list(findings):
            defect = {
                "id": self._new_id("defect", "DEFECT", self.defects),
                "lot_id": lot_id,
                "kind": f["kind"],
                "severity": f["severity"],
                "pieces": f["pieces"],
            }
            self._add("defects", defect)
            added_defects.append(defect)
        for one_lot in _distinct([self.lots[one["lot_id"]] for one in added_defects]):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_lot in _distinct([self.lots[one["lot_id"]] for one in added_defects]):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_lot in _distinct([self.lots[one["lot_id"]] for one in added_defects]):
            if self._breaks_rule_6(one_lot):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: record {len(findings)} findings in lot {lot['number']}.",
            "data": self._changes(),
        }

    def judge_lot(self, lot_id: str) -> Result:
        """Judge a lot by its sample; it is accepted, or blocked for the board if there are critical defects or too
        many points.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "arrived":
            return _refused(f"Lot {lot['number']} is {lot['status']}.")
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        place = self._supplier_judged(self.suppliers[lot["supplier_id"]]) + 1
        if self._lot_critical(lot) == 0 and self._lot_points(lot) <= lot["allowed"]:
            changed_lots.append(lot)
            self._put("lots", lot, "passed", True)
            changed_lots_2.append(lot)
            self._put("lots", lot, "status", "accepted")
        else:
            if lot["status"] not in ("arrived", "blocked"):
                return self._take_back(f"Lot {lot['number']} cannot go from {lot['status']} to blocked.")
            changed_lots_2.append(lot)
            self._put("lots", lot, "status", "blocked")
        if not 0 <= place <= 500:
            return self._take_back(f"The judged of {lot['number']} must be between 0 and 500.")
        self._put("lots", lot, "judged", place)
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_2(one_lot):
                return self._take_back(RULES[1])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        if self._breaks_rule_7_l(lot):
            return self._take_back(RULES[6])
        for one_lot in _distinct([lot, *changed_lots_2]):
            if self._breaks_rule_7_l_again(one_lot):
                return self._take_back(RULES[6])
        for one_lot in _distinct(changed_lots_2):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        for one_action in _distinct(
            [user for one in changed_lots for user in self._actions_by_lot.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10_a_again(one_action):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: judge lot {lot['number']}.", "data": self._changes()}

    def cast_vote(self, lot_id: str, member_id: str, verdict: Literal["use_as_is", "sort", "return"]) -> Result:
        """Cast the vote of a department about a blocked lot, or change it before the board decides.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            member_id (str): Id of the member, such as MEMBER-00001.
            verdict (str): What to do with the lot, use_as_is only without critical defects: use_as_is, sort or
                return.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if lot["status"] != "blocked":
            return _refused(f"Lot {lot['number']} is {lot['status']}.")
        if verdict == "use_as_is" and self._lot_critical(lot) != 0:
            return _refused(f"Lot {lot['number']} has critical defects and cannot be used as it is.")
        other = next(
            (
                v
                for v in sorted(self._votes_by_lot.get(lot_id, {}).values(), key=_age)
                if self.members[v["member_id"]]["department"] == member["department"]
                and v["member_id"] != member_id
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.members[other['member_id']]['name']} has voted for {member['department']} already."
            )
        self._journal = []
        changed_votes: list[Any] = []
        added_votes: list[Any] = []
        old = next(
            (v for v in sorted(self._votes_by_lot_member.get((lot_id, member_id), {}).values(), key=_age)),
            None,
        )
        if old is not None:
            changed_votes.append(old)
            self._put("votes", old, "verdict", verdict)
        else:
            vote = {
                "id": self._new_id("vote", "VOTE", self.votes),
                "lot_id": lot_id,
                "member_id": member_id,
                "verdict": verdict,
            }
            self._add("votes", vote)
            added_votes.append(vote)
        for one_vote in _distinct(added_votes):
            if self._breaks_rule_4(one_vote):
                return self._take_back(RULES[3])
        for one_lot in _distinct(
            [*[self.lots[one["lot_id"]] for one in changed_votes], *[self.lots[one["lot_id"]] for one in added_votes]]
        ):
            if self._breaks_rule_5(one_lot):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: cast the vote {verdict} of {member['name']} about lot {lot['number']}.",
            "data": self._changes(),
        }

    def decide_lot(self, lot_id: str) -> Result:
        """Put into effect what at least two of the three departments have voted for.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "blocked":
            return _refused(f"Lot {lot['number']} is {lot['status']}.")
        if not (self._voted(lot, "quality") and self._voted(lot, "purchasing") and self._voted(lot, "engineering")):
            return _refused(f"A department has not voted about lot {lot['number']} yet.")
        if self._votes(lot, "use_as_is") <= 1 and self._votes(lot, "sort") <= 1 and self._votes(lot, "return") <= 1:
            return _refused(
                f"The board has three opinions about lot {lot['number']}, so somebody must change theirs."
            )
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        if self._votes(lot, "return") > 1:
            changed_lots.append(lot)
            self._put("lots", lot, "disposition", "return")
            changed_lots_2.append(lot)
            self._put("lots", lot, "status", "returned")
        if self._votes(lot, "sort") > 1:
            changed_lots.append(lot)
            self._put("lots", lot, "disposition", "sort")
            if lot["status"] not in ("blocked", "sorting"):
                return self._take_back(f"Lot {lot['number']} cannot go from {lot['status']} to sorting.")
            changed_lots_2.append(lot)
            self._put("lots", lot, "status", "sorting")
        if self._votes(lot, "use_as_is") > 1:
            changed_lots.append(lot)
            self._put("lots", lot, "disposition", "use_as_is")
            if lot["status"] not in ("arrived", "accepted", "blocked", "sorting"):
                return self._take_back(f"Lot {lot['number']} cannot go from {lot['status']} to accepted.")
            changed_lots_2.append(lot)
            self._put("lots", lot, "status", "accepted")
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_2(one_lot):
                return self._take_back(RULES[1])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_5(one_lot):
                return self._take_back(RULES[4])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_6(one_lot):
                return self._take_back(RULES[5])
        for one_lot in _distinct(changed_lots_2):
            if self._breaks_rule_7_l_again(one_lot):
                return self._take_back(RULES[6])
        for one_lot in _distinct(changed_lots_2):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: decide about lot {lot['number']}.", "data": self._changes()}

    def finish_sorting(self, lot_id: str, bad: Annotated[int, {"minimum": 0, "maximum": 5000}]) -> Result:
        """Finish the sorting of a lot; bad pieces leave it and the rest is accepted.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            bad (int): Bad pieces sorted out, at least the critical ones found, from 0 to 5000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "sorting":
            return _refused(f"Lot {lot['number']} is {lot['status']}.")
        if bad < self._lot_critical(lot):
            return _refused(
                f"{self._lot_critical(lot)} critical pieces were found in lot {lot['number']} already, so sorting "
                "removes at least those."
            )
        if bad >= lot["quantity"]:
            return _refused(f"Lot {lot['number']} has {lot['quantity']} pieces, and they cannot all be bad.")
        self._journal = []
        quantity = lot["quantity"] - bad
        if not 1 <= quantity <= 5000:
            return self._take_back(f"The quantity of {lot['number']} must be between 1 and 5000.")
        self._put("lots", lot, "quantity", quantity)
        self._put("lots", lot, "status", "accepted")
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_l_again(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lot):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: finish sorting lot {lot['number']} with {bad} bad pieces.",
            "data": self._changes(),
        }

    def demand_action(self, lot_id: str, due: Date) -> Result:
        """Demand a corrective action from the supplier of a failed lot.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            due (str): Day by which the supplier must answer, within 60 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["judged"] <= 0 or lot["passed"]:
            return _refused(f"Lot {lot['number']} has not failed.")
        if self._actions_by_lot.get(lot_id, {}):
            return _refused(f"There is a corrective action for lot {lot['number']} already.")
        if self.suppliers[lot["supplier_id"]]["stage"] == "reduced":
            return _refused(
                f"{self.suppliers[lot['supplier_id']]['name']} is on reduced inspection, so switch to normal first."
            )
        if self.now[:10] >= due or due > _plus_days(self.now[:10], 60):
            return _refused(f"A supplier has 1 to 60 days, so not until {due}.")
        self._journal = []
        action: Action = {
            "id": self._new_id("action", "ACTION", self.actions),
            "lot_id": lot_id,
            "due": due,
            "root_cause": None,
            "closed_by_id": None,
            "status": "open",
        }
        self._add("actions", action)
        if self._breaks_rule_9(action):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_a(action):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_a_again(action):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(action):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: demand a corrective action for lot {lot['number']} until {due} (new: action {action['id']})."
            ),
            "data": {"action_id": action["id"], **self._changes()},
        }

    def answer_action(self, action_id: str, root_cause: Text) -> Result:
        """Enter the root cause that a supplier reports.

        Args:
            action_id (str): Id of the action, such as ACTION-00001.
            root_cause (str): Cause of the failure as the supplier reports it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        action = self.actions.get(action_id)
        if action is None:
            return _refused(f"There is no action {action_id!r}.")
        if action["status"] != "open":
            return _refused(
                f"The corrective action for lot {self.lots[action['lot_id']]['number']} is {action['status']}."
            )
        self._journal = []
        self._put("actions", action, "root_cause", root_cause)
        self._put("actions", action, "status", "answered")
        if self._breaks_rule_9(action):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(action):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: answer the corrective action for lot {self.lots[action['lot_id']]['number']} with "
                f"{root_cause}."
            ),
            "data": self._changes(),
        }

    def review_action(self, action_id: str, by_id: str, new_due: Date | None = None) -> Result:
        """Close an answered corrective action as a member of the quality department, or hand it back with a new day.

        Args:
            action_id (str): Id of the action, such as ACTION-00001.
            by_id (str): Member of the quality department who reviews it; an id such as MEMBER-00001.
            new_due (str, optional): Day for another answer, after today, which hands it back, as YYYY-MM-DD. If
                left out, the action is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        action = self.actions.get(action_id)
        if action is None:
            return _refused(f"There is no action {action_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if action["status"] != "answered":
            return _refused(
                f"The corrective action for lot {self.lots[action['lot_id']]['number']} is {action['status']}."
            )
        if by["department"] != "quality":
            return _refused(f"{by['name']} is in {by['department']}, and quality reviews actions.")
        if new_due is not None and new_due <= self.now[:10]:
            return _refused(f"{new_due} is not after today.")
        self._journal = []
        changed_actions: list[Any] = []
        changed_actions_2: list[Any] = []
        changed_actions_3: list[Any] = []
        if new_due is not None:
            changed_actions.append(action)
            self._put("actions", action, "root_cause", None)
            self._put("actions", action, "due", new_due)
            changed_actions_2.append(action)
            self._put("actions", action, "status", "open")
        else:
            changed_actions_3.append(action)
            self._put("actions", action, "closed_by_id", by_id)
            if action["status"] not in ("answered", "closed"):
                return self._take_back(f"Action {action['id']} cannot go from {action['status']} to closed.")
            changed_actions_2.append(action)
            self._put("actions", action, "status", "closed")
        for one_action in _distinct(changed_actions_2):
            if self._breaks_rule_9(one_action):
                return self._take_back(RULES[8])
        for one_action in _distinct([*changed_actions, *changed_actions_2, *changed_actions_3]):
            if self._breaks_rule_11(one_action):
                return self._take_back(RULES[10])
        done = f"review the corrective action for lot {self.lots[action['lot_id']]['number']} as {by['name']}"
        if new_due is not None:
            done += f", new day {new_due}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def switch_stage(self, supplier_id: str, to: Literal["normal", "tightened", "reduced", "suspended"]) -> Result:
        """Switch a supplier to another inspection stage when the last lots justify it.

        Args:
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            to (str): Inspection stage that the supplier gets: normal, tightened, reduced or suspended.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if supplier["stage"] == to:
            return _refused(f"{supplier['name']} is on {to} already.")
        if to == "reduced" and self._supplier_judged(supplier) - supplier["since"] < 3:
            return _refused(f"{supplier['name']} has not had three lots judged since the last switch.")
        if (
            to == "normal"
            and supplier["stage"] == "tightened"
            and self._supplier_judged(supplier) - supplier["since"] < 2
        ):
            return _refused(
                f"{supplier['name']} has not had two lots judged since being put on tightened inspection."
            )
        if to == "tightened" and supplier["stage"] not in ("normal", "suspended"):
            return _refused(f"{supplier['name']} is on {supplier['stage']}.")
        if to == "tightened" and supplier["stage"] == "normal" and self._failures(supplier, 5) < 2:
            return _refused(
                f"Of the last five lots of {supplier['name']} judged since the last switch fewer than two failed."
            )
        if to == "tightened" and supplier["stage"] == "suspended" and self._supplier_open_actions(supplier) != 0:
            return _refused(
                f"{supplier['name']} still has {self._supplier_open_actions(supplier)} corrective actions under way."
            )
        if not (
            to != "reduced"
            or supplier["stage"] == "normal"
            and self._supplier_judged(supplier) >= 3
            and self._failures(supplier, 3) == 0
        ):
            return _refused("Reduced inspection is for suppliers on normal whose last three lots passed.")
        if to == "reduced" and self._supplier_open_actions(supplier) != 0:
            return _refused(
                f"{supplier['name']} still has {self._supplier_open_actions(supplier)} corrective actions under way."
            )
        if to == "normal" and supplier["stage"] not in ("tightened", "reduced"):
            return _refused(f"{supplier['name']} is suspended and goes to tightened first.")
        if to == "normal" and supplier["stage"] != "reduced" and self._failures(supplier, 2) != 0:
            return _refused(f"One of the last two lots of {supplier['name']} failed.")
        if not (to != "suspended" or supplier["stage"] == "tightened" and self._failures(supplier, 5) >= 2):
            return _refused(
                "Only suppliers on tightened with two failures among the last five lots judged since the switch "
                "are suspended."
            )
        if not (to != "suspended" or not self._lots_by_supplier_status.get((supplier_id, "arrived"), {})):
            return _refused(f"Lots of {supplier['name']} still wait for inspection, so judge them first.")
        self._journal = []
        if supplier["stage"] != to and (supplier["stage"], to) not in SUPPLIER_STAGE_MOVES:
            return self._take_back(f"Supplier {supplier['name']} cannot go from {supplier['stage']} to {to}.")
        self._put("suppliers", supplier, "stage", to)
        since = self._supplier_judged(supplier)
        if not 0 <= since <= 500:
            return self._take_back(f"The since of {supplier['name']} must be between 0 and 500.")
        self._put("suppliers", supplier, "since", since)
        for one_lot in _distinct(self._lots_by_supplier_status.get((supplier["id"], "arrived"), {}).values()):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        for one_action in _distinct(
            [
                user
                for one in self._lots_by_supplier.get(supplier["id"], {}).values()
                for user in self._actions_by_lot.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_9(one_action):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: switch {supplier['name']} to {to}.", "data": self._changes()}

    def _show_supplier(self, supplier: Supplier) -> dict[str, Any]:
        """The supplier as an answer shows it."""
        return {
            **supplier,
            "judged": self._supplier_judged(supplier),
            "open_actions": self._supplier_open_actions(supplier),
        }

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "points": self._lot_points(lot), "critical": self._lot_critical(lot)}

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names((self.suppliers, "name", [row["supplier_id"] for row in shown]))

    def _names_of_defects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defects point to."""
        return _names((self.lots, "number", [row["lot_id"] for row in shown]))

    def _names_of_votes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that votes point to."""
        return _names(
            (self.lots, "number", [row["lot_id"] for row in shown]),
            (self.members, "name", [row["member_id"] for row in shown]),
        )

    def _names_of_actions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that actions point to."""
        return _names(
            (self.lots, "number", [row["lot_id"] for row in shown]),
            (self.members, "name", [row["closed_by_id"] for row in shown]),
        )

    def _supplier_judged(self, supplier: Supplier) -> int:
        """The judged of a supplier."""
        return sum(1 for l in self._lots_by_supplier.get(supplier["id"], {}).values() if l["judged"] > 0)

    def _supplier_open_actions(self, supplier: Supplier) -> int:
        """The open actions of a supplier."""
        return sum(
            1
            for _lot in self._lots_by_supplier.get(supplier["id"], {}).values()
            for a in self._actions_by_lot.get(_lot["id"], {}).values()
            if a["status"] != "closed"
        )

    def _lot_points(self, lot: Lot) -> int:
        """The points of a lot."""
        return (
            sum(5 * d["pieces"] for d in self._defects_by_lot_severity.get((lot["id"], "major"), {}).values())
            + sum(d["pieces"] for d in self._defects_by_lot_severity.get((lot["id"], "minor"), {}).values())
        )

    def _lot_critical(self, lot: Lot) -> int:
        """The critical of a lot."""
        return sum(d["pieces"] for d in self._defects_by_lot_severity.get((lot["id"], "critical"), {}).values())

    def _plan_for(self, stage: str, quantity: int) -> Plan | None:
        return min(
            (p for p in self.plans.values() if p["stage"] == stage and p["lot_from"] <= quantity),
            key=lambda p: (-p["lot_from"], _age(p)),
            default=None,
        )

    def _found(self, l: Lot) -> int:
        return sum(d["pieces"] for d in self._defects_by_lot.get(l["id"], {}).values())

    def _votes(self, l: Lot, verdict: str) -> int:
        return len(self._votes_by_lot_verdict.get((l["id"], verdict), {}))

    def _failures(self, s: Supplier, last: int) -> int:
        return sum(
            1
            for l in self._lots_by_supplier.get(s["id"], {}).values()
            if l["judged"] > s["since"]
            and l["judged"] > self._supplier_judged(s) - last
            and not l["passed"]
        )

    def _voted(self, l: Lot, d: str) -> bool:
        return any(
            self.members[v["member_id"]]["department"] == d
            for v in self._votes_by_lot.get(l["id"], {}).values()
        )

    def _breaks_rule_1(self, l: Lot) -> bool:
        """Whether this is broken: no more defective pieces are counted than were sampled."""
        return self._found(l) > l["sample"]

    def _breaks_rule_2(self, l: Lot) -> bool:
        """Whether this is broken: a lot that failed is accepted only after the board has decided."""
        return l["status"] == "accepted" and (not l["passed"] and l["disposition"] is None)

    def _breaks_rule_3(self, l: Lot) -> bool:
        """Whether this is broken: a lot passes only without critical defects and within the points of its plan."""
        return l["passed"] and (self._lot_critical(l) != 0 or self._lot_points(l) > l["allowed"])

    def _breaks_rule_4(self, v: Vote) -> bool:
        """Whether this is broken: each department of the board votes once about a lot."""
        return any(
            other_v is not v
            for other_v in self._votes_by_lot.get(v["lot_id"], {}).values()
            if self.members[other_v["member_id"]]["department"] == self.members[v["member_id"]]["department"]
        )

    def _breaks_rule_5(self, l: Lot) -> bool:
        """Whether this is broken: a disposition has the votes of all three departments, at least two of them for it.
        """
        return not (
            l["disposition"] is None
            or len(self._votes_by_lot.get(l["id"], {})) == 3
            and len(self._votes_by_lot_verdict.get((l["id"], l["disposition"]), {})) >= 2
        )

    def _breaks_rule_6(self, l: Lot) -> bool:
        """Whether this is broken: a lot with critical defects is never used as it is."""
        return l["disposition"] == "use_as_is" and self._lot_critical(l) > 0

    def _breaks_rule_7_l(self, l: Lot) -> bool:
        """Whether this is broken: the lots of a supplier are judged one after the other."""
        return (
            l["judged"] > 0
            and any(
                other_l is not l
                for other_l in self._lots_by_supplier.get(l["supplier_id"], {}).values()
                if other_l["judged"] == l["judged"]
                and other_l["judged"] > 0
            )
        )

    def _breaks_rule_7_l_again(self, l: Lot) -> bool:
        """Whether this is broken: the lots of a supplier are judged one after the other."""
        return (l["judged"] > 0) != (l["status"] != "arrived")

    def _breaks_rule_8(self, l: Lot) -> bool:
        """Whether this is broken: a suspended supplier has nothing waiting for inspection."""
        return l["status"] == "arrived" and self.suppliers[l["supplier_id"]]["stage"] == "suspended"

    def _breaks_rule_9(self, a: Action) -> bool:
        """Whether this is broken: a supplier with a corrective action under way is not on reduced inspection."""
        return a["status"] != "closed" and self.suppliers[self.lots[a["lot_id"]]["supplier_id"]]["stage"] == "reduced"

    def _breaks_rule_10_a(self, a: Action) -> bool:
        """Whether this is broken: a lot has at most one corrective action, and only one that failed."""
        return any(other_a is not a for other_a in self._actions_by_lot.get(a["lot_id"], {}).values())

    def _breaks_rule_10_a_again(self, a: Action) -> bool:
        """Whether this is broken: a lot has at most one corrective action, and only one that failed."""
        return self.lots[a["lot_id"]]["passed"]

    def _breaks_rule_11(self, a: Action) -> bool:
        """Whether this is broken: a closed action has a root cause and was closed by the quality department."""
        return not (
            (a["status"] == "closed") == (a["closed_by_id"] is not None)
            and (a["status"] == "open") == (a["root_cause"] is None)
            and (a["closed_by_id"] is None or self.members[a["closed_by_id"]]["department"] == "quality")
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
            case "lots":
                self._lots_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._lots_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._lots_by_supplier.setdefault(record["supplier_id"], {})[record["id"]] = record
                self._lots_by_supplier_status.setdefault(
                    (record["supplier_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "defects":
                self._defects_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
                self._defects_by_lot_severity.setdefault(
                    (record["lot_id"], record["severity"]),
                    {},
                )[record["id"]] = record
            case "votes":
                self._votes_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
                self._votes_by_lot_member.setdefault((record["lot_id"], record["member_id"]), {})[record["id"]] = record
                self._votes_by_lot_verdict.setdefault((record["lot_id"], record["verdict"]), {})[record["id"]] = record
            case "actions":
                self._actions_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lots":
                del self._lots_by_number[record["number"]][record["id"]]
                del self._lots_by_status[record["status"]][record["id"]]
                del self._lots_by_supplier[record["supplier_id"]][record["id"]]
                del self._lots_by_supplier_status[record["supplier_id"], record["status"]][record["id"]]
            case "defects":
                del self._defects_by_lot[record["lot_id"]][record["id"]]
                del self._defects_by_lot_severity[record["lot_id"], record["severity"]][record["id"]]
            case "votes":
                del self._votes_by_lot[record["lot_id"]][record["id"]]
                del self._votes_by_lot_member[record["lot_id"], record["member_id"]][record["id"]]
                del self._votes_by_lot_verdict[record["lot_id"], record["verdict"]][record["id"]]
            case "actions":
                del self._actions_by_lot[record["lot_id"]][record["id"]]
