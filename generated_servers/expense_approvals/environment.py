"""Expense approvals. Compiled from blueprint.yaml; run `envscaler build expense_approvals` after changing it there.

Takes the expense claims of a company from the first receipt through approval by managers and their delegates to
payout, with limits, budgets, rejection and resubmission.
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
    "Only claims with at least one expense are submitted.",
    "A submitted claim waits for one person to decide, and no other claim waits for anybody.",
    "Expenses that need a receipt have one before they are submitted.",
    "No expense is above the limit of its category.",
    "Nobody claims the same expense twice, that is the same category, day and amount.",
    "Expenses are submitted within 90 days.",
    "Nobody decides about their own claim.",
    "Nobody decides twice about one submission of a claim.",
    "Whoever decides for another has a delegation of that person for the day.",
    "An approved claim was approved in its last round with a limit that covers its total.",
    "A cost centre never approves more than its budget.",
    "A claim is paid out by an accountant who neither made nor decided it.",
    "The delegations of one person never overlap.",
    "Nobody takes over approvals while they have delegated their own.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_claim",
    "add_expense",
    "attach_receipt",
    "remove_expense",
    "submit_claim",
    "withdraw_claim",
    "approve_claim",
    "reject_claim",
    "delegate_approval",
    "revoke_delegation",
    "pay_claim",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "employees": ("name",),
    "cost_centres": ("name",),
    "categories": ("name",),
    "claims": ("title",),
    "expenses": (),
    "decisions": (),
    "delegations": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("claims", "cost_centre_id"),
    ("claims", "employee_id"),
    ("claims", "waiting_for_id"),
    ("decisions", "authority_id"),
    ("decisions", "by_id"),
    ("decisions", "claim_id"),
    ("delegations", "giver_id"),
    ("delegations", "taker_id"),
    ("expenses", "category_id"),
    ("expenses", "claim_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Employee(TypedDict):
    id: str
    name: str
    manager_id: str | None
    approval_limit: int
    accountant: bool


class CostCentre(TypedDict):
    id: str
    name: str
    code: str
    budget: int


class Category(TypedDict):
    id: str
    name: str
    item_limit: int
    receipt_from: int


class Claim(TypedDict):
    id: str
    title: str
    employee_id: str
    cost_centre_id: str
    round: int
    submitted_on: str | None
    waiting_for_id: str | None
    paid_on: str | None
    paid_by_id: str | None
    status: Literal["draft", "submitted", "approved", "rejected", "paid"]


class Expense(TypedDict):
    id: str
    claim_id: str
    category_id: str
    spent_on: str
    amount: int
    receipt: bool


class Decision(TypedDict):
    id: str
    claim_id: str
    round: int
    verdict: Literal["approved", "rejected"]
    by_id: str
    authority_id: str
    limit: int
    comment: str | None
    decided_on: str


class Delegation(TypedDict):
    id: str
    giver_id: str
    taker_id: str
    starts: str
    ends: str


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


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


class ExpenseApprovals:
    """Takes the expense claims of a company from the first receipt through approval by managers and their
    delegates to payout, with limits, budgets, rejection and resubmission.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.employees: dict[str, Employee] = _copied(config.get("employees", {}))
        self.cost_centres: dict[str, CostCentre] = _copied(config.get("cost_centres", {}))
        self.categories: dict[str, Category] = _copied(config.get("categories", {}))
        self.claims: dict[str, Claim] = _copied(config.get("claims", {}))
        self.expenses: dict[str, Expense] = _copied(config.get("expenses", {}))
        self.decisions: dict[str, Decision] = _copied(config.get("decisions", {}))
        self.delegations: dict[str, Delegation] = _copied(config.get("delegations", {}))
        self.now: str = config.get("now", "2026-03-02T09:00")
        self.counters: dict[str, int] = {
            "employee": len(self.employees),
            "cost_centre": len(self.cost_centres),
            "category": len(self.categories),
            "claim": len(self.claims),
            "expense": len(self.expenses),
            "decision": len(self.decisions),
            "delegation": len(self.delegations),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._claims_by_cost_centre: dict[Any, dict[str, Claim]] = {}
        self._claims_by_employee: dict[Any, dict[str, Claim]] = {}
        self._claims_by_waiting_for: dict[Any, dict[str, Claim]] = {}
        self._expenses_by_category: dict[Any, dict[str, Expense]] = {}
        self._expenses_by_claim: dict[Any, dict[str, Expense]] = {}
        self._decisions_by_authority: dict[Any, dict[str, Decision]] = {}
        self._decisions_by_claim: dict[Any, dict[str, Decision]] = {}
        self._decisions_by_claim_by: dict[Any, dict[str, Decision]] = {}
        self._delegations_by_giver: dict[Any, dict[str, Delegation]] = {}
        self._delegations_by_giver_taker: dict[Any, dict[str, Delegation]] = {}
        self._delegations_by_taker: dict[Any, dict[str, Delegation]] = {}
        for claim in self.claims.values():
            self._link("claims", claim)
        for expense in self.expenses.values():
            self._link("expenses", expense)
        for decision in self.decisions.values():
            self._link("decisions", decision)
        for delegation in self.delegations.values():
            self._link("delegations", delegation)

    def to_decide(self, employee_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Claims that somebody may decide about today, for themselves or as a delegate, oldest first.

        Args:
            employee_id (str): Id of the employee, such as EMPLOYEE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}} or {"success": False, "error": why
                not}
        """
        employee = self.employees.get(employee_id)
        if employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        found = [
            c
            for c in _distinct(
                [
                    c
                    for key in [
                        employee_id,
                        *[g["giver_id"] for g in self._delegations_by_taker.get(employee_id, {}).values()],
                    ]
                    for c in self._claims_by_waiting_for.get(key, {}).values()
                ]
            )
            if (
                c["waiting_for_id"] is not None
                and self._acts_for(employee, self.employees[c["waiting_for_id"]], self.now[:10])
            )
            and c["employee_id"] != employee_id
            and not any(
                each["round"] == c["round"]
                for each in self._decisions_by_claim_by.get((c["id"], employee_id), {}).values()
            )
        ]
        found.sort(
            key=lambda c: (c["submitted_on"] if c["submitted_on"] is not None else self.now[:10], c["id"], _age(c))
        )
        return _found(
            {
                "total": len(found),
                "claims": [
                    {
                        "id": c["id"],
                        "title": c["title"],
                        "employee": self.employees[c["employee_id"]]["name"],
                        "total": self._claim_total(c),
                        "submitted_on": c["submitted_on"],
                        "cost_centre": self.cost_centres[c["cost_centre_id"]]["name"],
                        "left": self._cost_centre_left(self.cost_centres[c["cost_centre_id"]]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def ready_to_pay(
        self,
        accountant_id: str,
        cost_centre_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Approved claims that somebody may pay out.

        Args:
            accountant_id (str): Accountant who wants to pay claims out; an id such as EMPLOYEE-00001.
            cost_centre_id (str, optional): Only claims on this cost centre; an id such as CC-00001. If left out,
                the claims on all cost centres are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}} or {"success": False, "error": why
                not}
        """
        accountant = self.employees.get(accountant_id)
        if accountant is None:
            return _refused(f"There is no employee {accountant_id!r}.")
        cost_centre = self.cost_centres.get(cost_centre_id) if cost_centre_id is not None else None
        if cost_centre_id is not None and cost_centre is None:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        found = [
            c
            for c in self.claims.values()
            if (c["status"] == "approved" and accountant["accountant"])
            and (cost_centre_id is None or c["cost_centre_id"] == cost_centre_id)
            and (
                c["employee_id"] != accountant_id
                and not self._decisions_by_claim_by.get((c["id"], accountant_id), {})
            )
        ]
        found.sort(
            key=lambda c: (c["submitted_on"] if c["submitted_on"] is not None else self.now[:10], c["id"], _age(c))
        )
        return _found(
            {
                "total": len(found),
                "claims": [
                    {
                        "id": c["id"],
                        "title": c["title"],
                        "employee": self.employees[c["employee_id"]]["name"],
                        "total": self._claim_total(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def missing_receipts(
        self,
        employee_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Expenses that need a receipt and have none.

        Args:
            employee_id (str, optional): Only expenses of this employee; an id such as EMPLOYEE-00001. If left out,
                the expenses of all employees are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "expenses": records}} or {"success": False, "error": why
                not}
        """
        employee = self.employees.get(employee_id) if employee_id is not None else None
        if employee_id is not None and employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        found = [
            x
            for x in self.expenses.values()
            if self._needs_receipt(x)
            and (employee_id is None or self.claims[x["claim_id"]]["employee_id"] == employee_id)
        ]
        found.sort(key=lambda x: (x["spent_on"], x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "expenses": [
                    {
                        "id": x["id"],
                        "claim": self.claims[x["claim_id"]]["title"],
                        "employee": self.employees[self.claims[x["claim_id"]]["employee_id"]]["name"],
                        "category": self.categories[x["category_id"]]["name"],
                        "spent_on": x["spent_on"],
                        "amount": x["amount"],
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_employees(
        self,
        name: Text | None = None,
        manager_id: str | None = None,
        accountant: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the employees, oldest first, all of them or only some.

        Args:
            name (str, optional): Only employees whose name contains this text.
            manager_id (str, optional): Only employees whose manager is this employee.
            accountant (bool, optional): Only employees with this value of `accountant`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "employees": records}}
        """
        if manager_id is not None and manager_id not in self.employees:
            return _refused(f"There is no employee {manager_id!r}.")
        found = [
            employee
            for employee in self.employees.values()
            if (name is None or name.casefold() in employee["name"].casefold())
            and (manager_id is None or employee["manager_id"] == manager_id)
            and (accountant is None or employee["accountant"] == accountant)
        ]
        shown = [{**employee} for employee in _page(found, offset)]
        return _found({"total": len(found), "employees": shown}, self._names_of_employees(shown))

    def list_cost_centres(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cost centres, oldest first, all of them or only some.

        Args:
            name (str, optional): Only cost centres whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cost_centres": records}}
        """
        found = [
            cost_centre
            for cost_centre in self.cost_centres.values()
            if (name is None or name.casefold() in cost_centre["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "cost_centres": [self._show_cost_centre(cost_centre) for cost_centre in _page(found, offset)],
            }
        )

    def list_categories(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the categories, oldest first, all of them or only some.

        Args:
            name (str, optional): Only categories whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "categories": records}}
        """
        found = [
            category
            for category in self.categories.values()
            if (name is None or name.casefold() in category["name"].casefold())
        ]
        return _found({"total": len(found), "categories": [{**category} for category in _page(found, offset)]})

    def get_claim(self, claim_id: str) -> Result:
        """Look up one claim by its id.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        shown = self._show_claim(claim)
        return _found(shown, self._names_of_claims([shown]))

    def list_claims(
        self,
        title: Text | None = None,
        employee_id: str | None = None,
        cost_centre_id: str | None = None,
        waiting_for_id: str | None = None,
        paid_by_id: str | None = None,
        status: Literal["draft", "submitted", "approved", "rejected", "paid"] | None = None,
        submitted_on_from: Date | None = None,
        submitted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the claims, oldest first, all of them or only some.

        Args:
            title (str, optional): Only claims whose title contains this text.
            employee_id (str, optional): Only claims of this employee.
            cost_centre_id (str, optional): Only claims of this cost centre.
            waiting_for_id (str, optional): Only claims waiting for this employee.
            paid_by_id (str, optional): Only claims paid by this employee.
            status (str, optional): Only claims with this status.
            submitted_on_from (str, optional): Only claims whose `submitted_on` is on this day or later.
            submitted_on_to (str, optional): Only claims whose `submitted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}}
        """
        if employee_id is not None and employee_id not in self.employees:
            return _refused(f"There is no employee {employee_id!r}.")
        if cost_centre_id is not None and cost_centre_id not in self.cost_centres:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        if waiting_for_id is not None and waiting_for_id not in self.employees:
            return _refused(f"There is no employee {waiting_for_id!r}.")
        if paid_by_id is not None and paid_by_id not in self.employees:
            return _refused(f"There is no employee {paid_by_id!r}.")
        found = [
            claim
            for claim in self.claims.values()
            if (title is None or title.casefold() in claim["title"].casefold())
            and (employee_id is None or claim["employee_id"] == employee_id)
            and (cost_centre_id is None or claim["cost_centre_id"] == cost_centre_id)
            and (waiting_for_id is None or claim["waiting_for_id"] == waiting_for_id)
            and (paid_by_id is None or claim["paid_by_id"] == paid_by_id)
            and (status is None or claim["status"] == status)
            and (
                submitted_on_from is None
                or (claim["submitted_on"] is not None and claim["submitted_on"] >= submitted_on_from)
            )
            and (
                submitted_on_to is None
                or (claim["submitted_on"] is not None and claim["submitted_on"] <= submitted_on_to)
            )
        ]
        shown = [self._show_claim(claim) for claim in _page(found, offset)]
        return _found({"total": len(found), "claims": shown}, self._names_of_claims(shown))

    def list_expenses(
        self,
        claim_id: str | None = None,
        category_id: str | None = None,
        receipt: bool | None = None,
        spent_on_from: Date | None = None,
        spent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the expenses, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only expenses of this claim.
            category_id (str, optional): Only expenses of this category.
            receipt (bool, optional): Only expenses with this value of `receipt`.
            spent_on_from (str, optional): Only expenses whose `spent_on` is on this day or later.
            spent_on_to (str, optional): Only expenses whose `spent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "expenses": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        if category_id is not None and category_id not in self.categories:
            return _refused(f"There is no category {category_id!r}.")
        found = [
            expense
            for expense in self.expenses.values()
            if (claim_id is None or expense["claim_id"] == claim_id)
            and (category_id is None or expense["category_id"] == category_id)
            and (receipt is None or expense["receipt"] == receipt)
            and (spent_on_from is None or expense["spent_on"] >= spent_on_from)
            and (spent_on_to is None or expense["spent_on"] <= spent_on_to)
        ]
        shown = [{**expense} for expense in _page(found, offset)]
        return _found({"total": len(found), "expenses": shown}, self._names_of_expenses(shown))

    def list_decisions(
        self,
        claim_id: str | None = None,
        verdict: Literal["approved", "rejected"] | None = None,
        by_id: str | None = None,
        authority_id: str | None = None,
        decided_on_from: Date | None = None,
        decided_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the decisions, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only decisions of this claim.
            verdict (str, optional): Only decisions with this verdict.
            by_id (str, optional): Only decisions by this employee.
            authority_id (str, optional): Only decisions whose authority is this employee.
            decided_on_from (str, optional): Only decisions whose `decided_on` is on this day or later.
            decided_on_to (str, optional): Only decisions whose `decided_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "decisions": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        if by_id is not None and by_id not in self.employees:
            return _refused(f"There is no employee {by_id!r}.")
        if authority_id is not None and authority_id not in self.employees:
            return _refused(f"There is no employee {authority_id!r}.")
        found = [
            decision
            for decision in self.decisions.values()
            if (claim_id is None or decision["claim_id"] == claim_id)
            and (verdict is None or decision["verdict"] == verdict)
            and (by_id is None or decision["by_id"] == by_id)
            and (authority_id is None or decision["authority_id"] == authority_id)
            and (decided_on_from is None or decision["decided_on"] >= decided_on_from)
            and (decided_on_to is None or decision["decided_on"] <= decided_on_to)
        ]
        shown = [{**decision} for decision in _page(found, offset)]
        return _found({"total": len(found), "decisions": shown}, self._names_of_decisions(shown))

    def list_delegations(
        self,
        giver_id: str | None = None,
        taker_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the delegations, oldest first, all of them or only some.

        Args:
            giver_id (str, optional): Only delegations whose giver is this employee.
            taker_id (str, optional): Only delegations whose taker is this employee.
            starts_from (str, optional): Only delegations whose `starts` is on this day or later.
            starts_to (str, optional): Only delegations whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "delegations": records}}
        """
        if giver_id is not None and giver_id not in self.employees:
            return _refused(f"There is no employee {giver_id!r}.")
        if taker_id is not None and taker_id not in self.employees:
            return _refused(f"There is no employee {taker_id!r}.")
        found = [
            delegation
            for delegation in self.delegations.values()
            if (giver_id is None or delegation["giver_id"] == giver_id)
            and (taker_id is None or delegation["taker_id"] == taker_id)
            and (starts_from is None or delegation["starts"] >= starts_from)
            and (starts_to is None or delegation["starts"] <= starts_to)
        ]
        shown = [{**delegation} for delegation in _page(found, offset)]
        return _found({"total": len(found), "delegations": shown}, self._names_of_delegations(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_claim(self, employee_id: str, cost_centre_id: str, title: Text) -> Result:
        """Start a draft claim of an employee on a cost centre.

        Args:
            employee_id (str): Id of the employee, such as EMPLOYEE-00001.
            cost_centre_id (str): Id of the cost centre, such as CC-00001.
            title (str): Title of the claim, unlike the employee's other unpaid claims.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        employee = self.employees.get(employee_id)
        if employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        cost_centre = self.cost_centres.get(cost_centre_id)
        if cost_centre is None:
            return _refused(f"There is no cost centre {cost_centre_id!r}.")
        if employee["manager_id"] is None:
            return _refused(f"{employee['name']} has no manager who could approve.")
        if any(
            c["title"].lower() == title.lower()
            for c in self._claims_by_employee.get(employee_id, {}).values()
            if c["status"] != "paid"
        ):
            return _refused(f"{employee['name']} has a claim {title} under way.")
        self._journal = []
        claim: Claim = {
            "id": self._new_id("claim", "CLAIM", self.claims),
            "title": title,
            "employee_id": employee_id,
            "cost_centre_id": cost_centre_id,
            "round": 0,
            "submitted_on": None,
            "waiting_for_id": None,
            "paid_on": None,
            "paid_by_id": None,
            "status": "draft",
        }
        self._add("claims", claim)
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[claim["cost_centre_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_c(claim):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_c_again(claim):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: start the claim {title} of {employee['name']} on {cost_centre['name']} (new: claim "
                f"{claim['id']})."
            ),
            "data": {"claim_id": claim["id"], **self._changes()},
        }

    def add_expense(
        self,
        claim_id: str,
        category_id: str,
        spent_on: Date,
        amount: Annotated[int, {"minimum": 1, "maximum": 500000}],
        receipt: bool = False,
    ) -> Result:
        """Add an expense to a claim that is a draft or was rejected.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            category_id (str): Id of the category, such as CATEGORY-00001.
            spent_on (str): Day on which the money was spent, within the last 90 days, as YYYY-MM-DD.
            amount (int): Sum that was spent, at most the limit of the category, in cents, from 1 to 500000.
            receipt (bool): Whether the receipt is attached. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        category = self.categories.get(category_id)
        if category is None:
            return _refused(f"There is no category {category_id!r}.")
        if not self._editable(claim):
            return _refused(f"{claim['title']} is {claim['status']}.")
        if spent_on > self.now[:10]:
            return _refused(f"{spent_on} is in the future.")
        if _plus_days(spent_on, 90) < self.now[:10]:
            return _refused(f"{spent_on} is more than 90 days ago.")
        if amount > category["item_limit"]:
            return _refused(
                f"{category['name']} allows {_money(category['item_limit'])} an expense, not {_money(amount)}."
            )
        twice = next(
            (
                x
                for x in sorted(self._expenses_by_category.get(category_id, {}).values(), key=_age)
                if self.claims[x["claim_id"]]["employee_id"] == claim["employee_id"]
                and x["spent_on"] == spent_on
                and x["amount"] == amount
            ),
            None,
        )
        if twice is not None:
            return _refused(
                f"{self.employees[claim['employee_id']]['name']} has claimed {_money(amount)} for "
                f"{category['name']} on {spent_on} already, in {self.claims[twice['claim_id']]['title']}."
            )
        self._journal = []
        expense: Expense = {
            "id": self._new_id("expense", "EXPENSE", self.expenses),
            "claim_id": claim_id,
            "category_id": category_id,
            "spent_on": spent_on,
            "amount": amount,
            "receipt": receipt,
        }
        self._add("expenses", expense)
        if self._breaks_rule_1(self.claims[expense["claim_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(expense):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(expense):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(expense):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(expense):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(self.claims[expense["claim_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[self.claims[expense["claim_id"]]["cost_centre_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: add {_money(amount)} for {category['name']} on {spent_on} to {claim['title']} (new: "
                f"expense {expense['id']})."
            ),
            "data": {"expense_id": expense["id"], **self._changes()},
        }

    def attach_receipt(self, expense_id: str) -> Result:
        """Attach the missing receipt to an expense.

        Args:
            expense_id (str): Id of the expense, such as EXPENSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        expense = self.expenses.get(expense_id)
        if expense is None:
            return _refused(f"There is no expense {expense_id!r}.")
        if not self._editable(self.claims[expense["claim_id"]]):
            return _refused(
                f"{self.claims[expense['claim_id']]['title']} is {self.claims[expense['claim_id']]['status']}."
            )
        if expense["receipt"]:
            return _refused(
                f"The expense of {_money(expense['amount'])} for "
                f"{self.categories[expense['category_id']]['name']} has a receipt already."
            )
        self._journal = []
        self._put("expenses", expense, "receipt", True)
        if self._breaks_rule_3(expense):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: attach the receipt for {self.categories[expense['category_id']]['name']} on "
                f"{expense['spent_on']} to {self.claims[expense['claim_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def remove_expense(self, expense_id: str) -> Result:
        """Remove an expense from a claim that is a draft or was rejected.

        Args:
            expense_id (str): Id of the expense, such as EXPENSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        expense = self.expenses.get(expense_id)
        if expense is None:
            return _refused(f"There is no expense {expense_id!r}.")
        if not self._editable(self.claims[expense["claim_id"]]):
            return _refused(
                f"{self.claims[expense['claim_id']]['title']} is {self.claims[expense['claim_id']]['status']}."
            )
        self._journal = []
        self._remove("expenses", expense)
        if self._breaks_rule_1(self.claims[expense["claim_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_10(self.claims[expense["claim_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[self.claims[expense["claim_id"]]["cost_centre_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: remove {_money(expense['amount'])} for {self.categories[expense['category_id']]['name']} "
                f"on {expense['spent_on']} from {self.claims[expense['claim_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def submit_claim(self, claim_id: str) -> Result:
        """Submit a draft, or a rejected claim again, to the employee's manager.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if not self._editable(claim):
            return _refused(f"{claim['title']} is {claim['status']}.")
        if self._claim_total(claim) <= 0:
            return _refused(f"{claim['title']} has no expenses.")
        open_item = next(
            (
                x
                for x in sorted(self._expenses_by_claim.get(claim_id, {}).values(), key=_age)
                if self._needs_receipt(x)
            ),
            None,
        )
        if open_item is not None:
            return _refused(
                f"The expense of {_money(open_item['amount'])} for "
                f"{self.categories[open_item['category_id']]['name']} on {open_item['spent_on']} needs a receipt."
            )
        old = next(
            (
                x
                for x in sorted(self._expenses_by_claim.get(claim_id, {}).values(), key=_age)
                if _plus_days(x["spent_on"], 90) < self.now[:10]
            ),
            None,
        )
        if old is not None:
            return _refused(f"The expense of {_money(old['amount'])} on {old['spent_on']} is more than 90 days old.")
        if not any(
            m["approval_limit"] >= self._claim_total(claim)
            for m in _above(self.employees, self.employees[claim["employee_id"]], "manager_id")
        ):
            return _refused(
                f"Nobody above {self.employees[claim['employee_id']]['name']} may approve "
                f"{_money(self._claim_total(claim))}."
            )
        if claim["round"] >= 50:
            return _refused(f"{claim['title']} was submitted 50 times.")
        self._journal = []
        round = claim["round"] + 1
        if not 0 <= round <= 50:
            return self._take_back(f"The round of {claim['title']} must be between 0 and 50.")
        self._put("claims", claim, "round", round)
        self._put("claims", claim, "submitted_on", self.now[:10])
        self._put("claims", claim, "waiting_for_id", self.employees[claim["employee_id"]]["manager_id"])
        if claim["status"] not in ("draft", "submitted", "rejected"):
            return self._take_back(f"Claim {claim['title']} cannot go from {claim['status']} to submitted.")
        self._put("claims", claim, "status", "submitted")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_3(one_expense):
                return self._take_back(RULES[2])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_6(one_expense):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[claim["cost_centre_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_c(claim):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: submit {claim['title']}.", "data": self._changes()}

    def withdraw_claim(self, claim_id: str) -> Result:
        """Take a submitted claim back to draft.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        if claim["status"] != "submitted":
            return _refused(f"{claim['title']} is {claim['status']}.")
        self._journal = []
        self._put("claims", claim, "waiting_for_id", None)
        self._put("claims", claim, "status", "draft")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_3(one_expense):
                return self._take_back(RULES[2])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_6(one_expense):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[claim["cost_centre_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_c(claim):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: withdraw {claim['title']}.", "data": self._changes()}

    def approve_claim(self, claim_id: str, by_id: str, comment: Text | None = None) -> Result:
        """Approve a claim for the person it waits for; a total above that person's limit goes on to the next manager.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            by_id (str): Person the claim waits for, or somebody with a delegation from that person; an id such as
                EMPLOYEE-00001.
            comment (str, optional): Remark on the approval. If left out, no remark is kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        by = self.employees.get(by_id)
        if by is None:
            return _refused(f"There is no employee {by_id!r}.")
        if claim["status"] != "submitted" or claim["waiting_for_id"] is None:
            return _refused(f"{claim['title']} is {claim['status']}.")
        authority = self.employees[claim["waiting_for_id"]]
        if by_id == claim["employee_id"]:
            return _refused(f"{by['name']} cannot decide about their own claim.")
        if not self._acts_for(by, authority, self.now[:10]):
            return _refused(
                f"{claim['title']} waits for {authority['name']}, and {by['name']} has no delegation for "
                f"{self.now[:10]}."
            )
        if any(
            each["round"] == claim["round"]
            for each in self._decisions_by_claim_by.get((claim_id, by_id), {}).values()
        ):
            return _refused(f"{by['name']} has decided about {claim['title']} already.")
        if (
            self._claim_total(claim) <= authority["approval_limit"]
            and self._claim_total(claim) > self._cost_centre_left(self.cost_centres[claim["cost_centre_id"]])
        ):
            return _refused(
                f"{self.cost_centres[claim['cost_centre_id']]['name']} has "
                f"{_money(self._cost_centre_left(self.cost_centres[claim['cost_centre_id']]))} left, not "
                f"{_money(self._claim_total(claim))}."
            )
        self._journal = []
        changed_claims: list[Any] = []
        changed_claims_2: list[Any] = []
        round = claim["round"]
        if not 1 <= round <= 50:
            return self._take_back("The round of a decision must be between 1 and 50.")
        decision: Decision = {
            "id": self._new_id("decision", "DECISION", self.decisions),
            "claim_id": claim_id,
            "round": round,
            "verdict": "approved",
            "by_id": by_id,
            "authority_id": authority["id"],
            "limit": authority["approval_limit"],
            "comment": comment,
            "decided_on": self.now[:10],
        }
        self._add("decisions", decision)
        if self._claim_total(claim) <= authority["approval_limit"]:
            changed_claims.append(claim)
            self._put("claims", claim, "waiting_for_id", None)
            changed_claims_2.append(claim)
            self._put("claims", claim, "status", "approved")
        else:
            changed_claims.append(claim)
            self._put("claims", claim, "waiting_for_id", authority["manager_id"])
        for one_claim in _distinct(changed_claims_2):
            if self._breaks_rule_1(one_claim):
                return self._take_back(RULES[0])
        for one_claim in _distinct([*changed_claims, *changed_claims_2]):
            if self._breaks_rule_2(one_claim):
                return self._take_back(RULES[1])
        for one_expense in _distinct(
            [user for one in changed_claims_2 for user in self._expenses_by_claim.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_expense):
                return self._take_back(RULES[2])
        for one_expense in _distinct(
            [user for one in changed_claims_2 for user in self._expenses_by_claim.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_expense):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(decision):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(decision):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(decision):
            return self._take_back(RULES[8])
        for one_claim in _distinct([self.claims[decision["claim_id"]], *changed_claims_2]):
            if self._breaks_rule_10(one_claim):
                return self._take_back(RULES[9])
        for one_cost_centre in _distinct([self.cost_centres[one["cost_centre_id"]] for one in changed_claims_2]):
            if self._breaks_rule_11(one_cost_centre):
                return self._take_back(RULES[10])
        for one_claim in _distinct(changed_claims_2):
            if self._breaks_rule_12_c(one_claim):
                return self._take_back(RULES[11])
        if self._breaks_rule_12_c_again(self.claims[decision["claim_id"]]):
            return self._take_back(RULES[11])
        done = f"approve {claim['title']} as {by['name']}"
        if comment is not None:
            done += f" with the comment {comment}"
        return {
            "success": True,
            "message": f"Done: {done} (new: decision {decision['id']}).",
            "data": {"decision_id": decision["id"], **self._changes()},
        }

    def reject_claim(self, claim_id: str, by_id: str, reason: Text) -> Result:
        """Reject a claim and say what must change; an approved one that is not paid yet is sent back by an
        accountant.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            by_id (str): Person the claim waits for or their deputy, an accountant once it is approved; an id such
                as EMPLOYEE-00001.
            reason (str): What must change before the claim can be approved.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        by = self.employees.get(by_id)
        if by is None:
            return _refused(f"There is no employee {by_id!r}.")
        if claim["status"] not in ("submitted", "approved"):
            return _refused(f"{claim['title']} is {claim['status']}.")
        if claim["status"] != "submitted" and not by["accountant"]:
            return _refused(f"{claim['title']} is approved, and only an accountant sends it back.")
        authority = self.employees.get(claim["waiting_for_id"]) or by
        if by_id == claim["employee_id"]:
            return _refused(f"{by['name']} cannot decide about their own claim.")
        if not self._acts_for(by, authority, self.now[:10]):
            return _refused(
                f"{claim['title']} waits for {authority['name']}, and {by['name']} has no delegation for "
                f"{self.now[:10]}."
            )
        if any(
            each["round"] == claim["round"]
            for each in self._decisions_by_claim_by.get((claim_id, by_id), {}).values()
        ):
            return _refused(f"{by['name']} has decided about {claim['title']} already.")
        self._journal = []
        round = claim["round"]
        if not 1 <= round <= 50:
            return self._take_back("The round of a decision must be between 1 and 50.")
        decision: Decision = {
            "id": self._new_id("decision", "DECISION", self.decisions),
            "claim_id": claim_id,
            "round": round,
            "verdict": "rejected",
            "by_id": by_id,
            "authority_id": authority["id"],
            "limit": authority["approval_limit"],
            "comment": reason,
            "decided_on": self.now[:10],
        }
        self._add("decisions", decision)
        self._put("claims", claim, "waiting_for_id", None)
        self._put("claims", claim, "status", "rejected")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_3(one_expense):
                return self._take_back(RULES[2])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_6(one_expense):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(decision):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(decision):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(decision):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.claims[decision["claim_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[claim["cost_centre_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_c(claim):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_c_again(self.claims[decision["claim_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: reject {claim['title']} as {by['name']} with the reason {reason} (new: decision "
                f"{decision['id']})."
            ),
            "data": {"decision_id": decision["id"], **self._changes()},
        }

    def delegate_approval(self, giver_id: str, taker_id: str, starts: Date, ends: Date) -> Result:
        """Let somebody decide for an approver during some days.

        Args:
            giver_id (str): Approver who lets somebody else decide; an id such as EMPLOYEE-00001.
            taker_id (str): Employee who decides in that approver's place; an id such as EMPLOYEE-00001.
            starts (str): First day of the delegation, from today on, as YYYY-MM-DD.
            ends (str): Last day of the delegation, 60 days after the first at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.employees.get(giver_id)
        if giver is None:
            return _refused(f"There is no employee {giver_id!r}.")
        taker = self.employees.get(taker_id)
        if taker is None:
            return _refused(f"There is no employee {taker_id!r}.")
        if giver is taker:
            return _refused(f"{giver['name']} cannot delegate to themselves.")
        if giver["approval_limit"] <= 0:
            return _refused(f"{giver['name']} approves nothing that could be delegated.")
        if starts < self.now[:10]:
            return _refused(f"{starts} is in the past.")
        if starts > ends or ends > _plus_days(starts, 60):
            return _refused(f"A delegation lasts 1 to 61 days from {starts}.")
        own = next(
            (
                g
                for g in sorted(self._delegations_by_giver.get(giver_id, {}).values(), key=_age)
                if g["starts"] <= ends
                and starts <= g["ends"]
            ),
            None,
        )
        if own is not None:
            return _refused(
                f"{giver['name']} has delegated to {self.employees[own['taker_id']]['name']} from {own['starts']} "
                f"to {own['ends']}."
            )
        away = next(
            (
                g
                for g in sorted(self._delegations_by_giver.get(taker_id, {}).values(), key=_age)
                if g["starts"] <= ends
                and starts <= g["ends"]
            ),
            None,
        )
        if away is not None:
            return _refused(
                f"{taker['name']} has delegated to {self.employees[away['taker_id']]['name']} from "
                f"{away['starts']} to {away['ends']}."
            )
        duty = next(
            (
                g
                for g in sorted(self._delegations_by_taker.get(giver_id, {}).values(), key=_age)
                if g["starts"] <= ends
                and starts <= g["ends"]
            ),
            None,
        )
        if duty is not None:
            return _refused(
                f"{giver['name']} decides for {self.employees[duty['giver_id']]['name']} from {duty['starts']} to "
                f"{duty['ends']}."
            )
        self._journal = []
        delegation: Delegation = {
            "id": self._new_id("delegation", "DELEGATION", self.delegations),
            "giver_id": giver_id,
            "taker_id": taker_id,
            "starts": starts,
            "ends": ends,
        }
        self._add("delegations", delegation)
        for one_decision in _distinct(self._decisions_by_authority.get(delegation["giver_id"], {}).values()):
            if self._breaks_rule_9(one_decision):
                return self._take_back(RULES[8])
        if self._breaks_rule_13(delegation):
            return self._take_back(RULES[12])
        if self._breaks_rule_14_g(delegation):
            return self._take_back(RULES[13])
        if self._breaks_rule_14_h(delegation):
            return self._take_back(RULES[13])
        if self._breaks_rule_14_g_again(delegation):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: delegate the approvals of {giver['name']} to {taker['name']} from {starts} to {ends} "
                f"(new: delegation {delegation['id']})."
            ),
            "data": {"delegation_id": delegation["id"], **self._changes()},
        }

    def revoke_delegation(self, delegation_id: str) -> Result:
        """End a delegation today, or drop it when it has not begun.

        Args:
            delegation_id (str): Id of the delegation, such as DELEGATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        delegation = self.delegations.get(delegation_id)
        if delegation is None:
            return _refused(f"There is no delegation {delegation_id!r}.")
        if delegation["ends"] <= self.now[:10]:
            return _refused(
                f"The delegation of {self.employees[delegation['giver_id']]['name']} ends on {delegation['ends']} "
                "anyway."
            )
        self._journal = []
        deleted_delegations: list[Any] = []
        changed_delegations: list[Any] = []
        if delegation["starts"] > self.now[:10]:
            if delegation["id"] in self.delegations:
                self._remove("delegations", delegation)
            deleted_delegations.append(delegation)
        else:
            changed_delegations.append(delegation)
            if delegation["id"] in self.delegations:
                self._put("delegations", delegation, "ends", self.now[:10])
        for one_decision in _distinct(
            [
                *[
                    user
                    for one in [self.employees[one["giver_id"]] for one in deleted_delegations]
                    for user in self._decisions_by_authority.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.employees[one["giver_id"]] for one in changed_delegations]
                    for user in self._decisions_by_authority.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_decision):
                return self._take_back(RULES[8])
        for one_delegation in _distinct(changed_delegations):
            if one_delegation["id"] in self.delegations and self._breaks_rule_13(one_delegation):
                return self._take_back(RULES[12])
        for one_delegation in _distinct(changed_delegations):
            if one_delegation["id"] in self.delegations and self._breaks_rule_14_g(one_delegation):
                return self._take_back(RULES[13])
        for one_delegation in _distinct(changed_delegations):
            if one_delegation["id"] in self.delegations and self._breaks_rule_14_h(one_delegation):
                return self._take_back(RULES[13])
        for one_delegation in _distinct(changed_delegations):
            if one_delegation["id"] in self.delegations and self._breaks_rule_14_g_again(one_delegation):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: revoke the delegation of {self.employees[delegation['giver_id']]['name']} to "
                f"{self.employees[delegation['taker_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def pay_claim(self, claim_id: str, by_id: str) -> Result:
        """Pay an approved claim out.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            by_id (str): Accountant who pays, is not the claimant and has not decided on it; an id such as
                EMPLOYEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        by = self.employees.get(by_id)
        if by is None:
            return _refused(f"There is no employee {by_id!r}.")
        if claim["status"] != "approved":
            return _refused(f"{claim['title']} is {claim['status']}.")
        if not by["accountant"]:
            return _refused(f"{by['name']} is not an accountant.")
        if by_id == claim["employee_id"]:
            return _refused(f"{by['name']} cannot pay out their own claim.")
        if self._decisions_by_claim_by.get((claim_id, by_id), {}):
            return _refused(f"{by['name']} has decided about {claim['title']} and cannot pay it out.")
        self._journal = []
        self._put("claims", claim, "paid_on", self.now[:10])
        self._put("claims", claim, "paid_by_id", by_id)
        self._put("claims", claim, "status", "paid")
        if self._breaks_rule_1(claim):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(claim):
            return self._take_back(RULES[1])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_3(one_expense):
                return self._take_back(RULES[2])
        for one_expense in _distinct(self._expenses_by_claim.get(claim["id"], {}).values()):
            if self._breaks_rule_6(one_expense):
                return self._take_back(RULES[5])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(self.cost_centres[claim["cost_centre_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_c(claim):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_c_again(claim):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: pay {claim['title']} out as {by['name']}.",
            "data": self._changes(),
        }

    def _show_cost_centre(self, cost_centre: CostCentre) -> dict[str, Any]:
        """The cost centre as an answer shows it."""
        return {
            **cost_centre,
            "committed": self._cost_centre_committed(cost_centre),
            "left": self._cost_centre_left(cost_centre),
        }

    def _show_claim(self, claim: Claim) -> dict[str, Any]:
        """The claim as an answer shows it."""
        return {**claim, "total": self._claim_total(claim)}

    def _names_of_employees(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that employees point to."""
        return _names((self.employees, "name", [row["manager_id"] for row in shown]))

    def _names_of_claims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that claims point to."""
        return _names(
            (self.employees, "name", [row["employee_id"] for row in shown]),
            (self.cost_centres, "name", [row["cost_centre_id"] for row in shown]),
            (self.employees, "name", [row["waiting_for_id"] for row in shown]),
            (self.employees, "name", [row["paid_by_id"] for row in shown]),
        )

    def _names_of_expenses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that expenses point to."""
        return _names(
            (self.claims, "title", [row["claim_id"] for row in shown]),
            (self.categories, "name", [row["category_id"] for row in shown]),
        )

    def _names_of_decisions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that decisions point to."""
        return _names(
            (self.claims, "title", [row["claim_id"] for row in shown]),
            (self.employees, "name", [row["by_id"] for row in shown]),
            (self.employees, "name", [row["authority_id"] for row in shown]),
        )

    def _names_of_delegations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that delegations point to."""
        return _names(
            (self.employees, "name", [row["giver_id"] for row in shown]),
            (self.employees, "name", [row["taker_id"] for row in shown]),
        )

    def _cost_centre_committed(self, cost_centre: CostCentre) -> int:
        """The committed of a cost centre."""
        return sum(
            self._claim_total(c)
            for c in self._claims_by_cost_centre.get(cost_centre["id"], {}).values()
            if c["status"] in ("approved", "paid")
        )

    def _cost_centre_left(self, cost_centre: CostCentre) -> int:
        """The left of a cost centre."""
        return cost_centre["budget"] - self._cost_centre_committed(cost_centre)

    def _claim_total(self, claim: Claim) -> int:
        """The total of a claim."""
        return sum(x["amount"] for x in self._expenses_by_claim.get(claim["id"], {}).values())

    def _editable(self, c: Claim) -> bool:
        return c["status"] in ("draft", "rejected")

    def _acts_for(self, by: Employee, authority: Employee, d: str) -> bool:
        return (
            by is authority
            or any(
                g["starts"] <= d
                and d <= g["ends"]
                for g in self._delegations_by_giver_taker.get((authority["id"], by["id"]), {}).values()
            )
        )

    def _needs_receipt(self, x: Expense) -> bool:
        return x["amount"] >= self.categories[x["category_id"]]["receipt_from"] and not x["receipt"]

    def _breaks_rule_1(self, c: Claim) -> bool:
        """Whether this is broken: only claims with at least one expense are submitted."""
        return not self._editable(c) and self._claim_total(c) <= 0

    def _breaks_rule_2(self, c: Claim) -> bool:
        """Whether this is broken: a submitted claim waits for one person to decide, and no other claim waits for
        anybody.
        """
        return (c["status"] == "submitted") != (c["waiting_for_id"] is not None)

    def _breaks_rule_3(self, x: Expense) -> bool:
        """Whether this is broken: expenses that need a receipt have one before they are submitted."""
        return self._needs_receipt(x) and not self._editable(self.claims[x["claim_id"]])

    def _breaks_rule_4(self, x: Expense) -> bool:
        """Whether this is broken: no expense is above the limit of its category."""
        return x["amount"] > self.categories[x["category_id"]]["item_limit"]

    def _breaks_rule_5(self, x: Expense) -> bool:
        """Whether this is broken: nobody claims the same expense twice, that is the same category, day and amount.
        """
        return any(
            other_x is not x
            for other_x in self._expenses_by_category.get(x["category_id"], {}).values()
            if self.claims[other_x["claim_id"]]["employee_id"] == self.claims[x["claim_id"]]["employee_id"]
            and other_x["spent_on"] == x["spent_on"]
            and other_x["amount"] == x["amount"]
        )

    def _breaks_rule_6(self, x: Expense) -> bool:
        """Whether this is broken: expenses are submitted within 90 days."""
        return (
            not self._editable(self.claims[x["claim_id"]])
            and not (
                self.claims[x["claim_id"]]["submitted_on"] is not None
                and (
                    x["spent_on"] <= self.claims[x["claim_id"]]["submitted_on"]
                    and self.claims[x["claim_id"]]["submitted_on"] <= _plus_days(x["spent_on"], 90)
                )
            )
        )

    def _breaks_rule_7(self, d: Decision) -> bool:
        """Whether this is broken: nobody decides about their own claim."""
        return (
            d["by_id"] == self.claims[d["claim_id"]]["employee_id"]
            or d["authority_id"] == self.claims[d["claim_id"]]["employee_id"]
        )

    def _breaks_rule_8(self, d: Decision) -> bool:
        """Whether this is broken: nobody decides twice about one submission of a claim."""
        return any(
            other_d is not d
            for other_d in self._decisions_by_claim_by.get((d["claim_id"], d["by_id"]), {}).values()
            if other_d["round"] == d["round"]
        )

    def _breaks_rule_9(self, d: Decision) -> bool:
        """Whether this is broken: whoever decides for another has a delegation of that person for the day."""
        return not self._acts_for(self.employees[d["by_id"]], self.employees[d["authority_id"]], d["decided_on"])

    def _breaks_rule_10(self, c: Claim) -> bool:
        """Whether this is broken: an approved claim was approved in its last round with a limit that covers its
        total.
        """
        return (
            c["status"] in ("approved", "paid")
            and not any(
                d["verdict"] == "approved"
                and d["round"] == c["round"]
                and d["limit"] >= self._claim_total(c)
                for d in self._decisions_by_claim.get(c["id"], {}).values()
            )
        )

    def _breaks_rule_11(self, k: CostCentre) -> bool:
        """Whether this is broken: a cost centre never approves more than its budget."""
        return self._cost_centre_committed(k) > k["budget"]

    def _breaks_rule_12_c(self, c: Claim) -> bool:
        """Whether this is broken: a claim is paid out by an accountant who neither made nor decided it."""
        return (c["status"] == "paid") != (c["paid_by_id"] is not None)

    def _breaks_rule_12_c_again(self, c: Claim) -> bool:
        """Whether this is broken: a claim is paid out by an accountant who neither made nor decided it."""
        return not (
            c["paid_by_id"] is None
            or self.employees[c["paid_by_id"]]["accountant"]
            and c["paid_by_id"] != c["employee_id"]
            and not self._decisions_by_claim_by.get((c["id"], c["paid_by_id"]), {})
        )

    def _breaks_rule_13(self, g: Delegation) -> bool:
        """Whether this is broken: the delegations of one person never overlap."""
        return any(
            g["ends"] >= h["starts"]
            and h["ends"] >= g["starts"]
            for h in self._delegations_by_giver.get(g["giver_id"], {}).values()
            if g is not h
        )

    def _breaks_rule_14_g(self, g: Delegation) -> bool:
        """Whether this is broken: nobody takes over approvals while they have delegated their own."""
        return any(
            g["ends"] >= h["starts"]
            and h["ends"] >= g["starts"]
            for h in self._delegations_by_giver.get(g["taker_id"], {}).values()
        )

    def _breaks_rule_14_h(self, h: Delegation) -> bool:
        """Whether this is broken: nobody takes over approvals while they have delegated their own."""
        return any(
            g["ends"] >= h["starts"]
            and h["ends"] >= g["starts"]
            for g in self._delegations_by_taker.get(h["giver_id"], {}).values()
        )

    def _breaks_rule_14_g_again(self, g: Delegation) -> bool:
        """Whether this is broken: nobody takes over approvals while they have delegated their own."""
        return g["starts"] > g["ends"]

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
            case "claims":
                self._claims_by_cost_centre.setdefault(record["cost_centre_id"], {})[record["id"]] = record
                self._claims_by_employee.setdefault(record["employee_id"], {})[record["id"]] = record
                self._claims_by_waiting_for.setdefault(record["waiting_for_id"], {})[record["id"]] = record
            case "expenses":
                self._expenses_by_category.setdefault(record["category_id"], {})[record["id"]] = record
                self._expenses_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
            case "decisions":
                self._decisions_by_authority.setdefault(record["authority_id"], {})[record["id"]] = record
                self._decisions_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
                self._decisions_by_claim_by.setdefault((record["claim_id"], record["by_id"]), {})[record["id"]] = record
            case "delegations":
                self._delegations_by_giver.setdefault(record["giver_id"], {})[record["id"]] = record
                self._delegations_by_giver_taker.setdefault(
                    (record["giver_id"], record["taker_id"]),
                    {},
                )[record["id"]] = record
                self._delegations_by_taker.setdefault(record["taker_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "claims":
                del self._claims_by_cost_centre[record["cost_centre_id"]][record["id"]]
                del self._claims_by_employee[record["employee_id"]][record["id"]]
                del self._claims_by_waiting_for[record["waiting_for_id"]][record["id"]]
            case "expenses":
                del self._expenses_by_category[record["category_id"]][record["id"]]
                del self._expenses_by_claim[record["claim_id"]][record["id"]]
            case "decisions":
                del self._decisions_by_authority[record["authority_id"]][record["id"]]
                del self._decisions_by_claim[record["claim_id"]][record["id"]]
                del self._decisions_by_claim_by[record["claim_id"], record["by_id"]][record["id"]]
            case "delegations":
                del self._delegations_by_giver[record["giver_id"]][record["id"]]
                del self._delegations_by_giver_taker[record["giver_id"], record["taker_id"]][record["id"]]
                del self._delegations_by_taker[record["taker_id"]][record["id"]]
