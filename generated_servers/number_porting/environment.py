"""Number porting. Compiled from blueprint.yaml; run `envscaler build number_porting` after changing it there.

Runs the number desk of a mobile operator, with numbers ported in and out, contracts and their terms, SIM cards,
charges and numbers in quarantine.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A number has at most one contract that runs.",
    "A number has at most one port under way.",
    "A running contract is for a number that our network carries for this very customer.",
    "A contract never has more SIMs than its plan allows.",
    "A SIM in stock has no number, and an active one serves a number with a contract that runs.",
    "An operator lets no more numbers go on one day than it can handle.",
    "A port leads from or to our network, and never on a weekend.",
    "A port under way starts from the operator that carries the number.",
    "A rejected port says why, and no other port has a refusal.",
    "Only numbers of our own range that nobody uses are in quarantine.",
    "A number that nobody uses is with the operator whose range it comes from.",
    "Nobody pays more than a charge, and a charge that is paid in full is settled.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_port_in",
    "request_port_out",
    "accept_port",
    "refuse_port",
    "cancel_port",
    "carry_out_port",
    "open_contract",
    "end_contract",
    "release_number",
    "activate_sim",
    "settle_charge",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "operators": ("name",),
    "customers": ("name",),
    "numbers": ("digits",),
    "plans": ("name",),
    "contracts": (),
    "sims": ("iccid",),
    "ports": (),
    "charges": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("charges", "contract_id"),
    ("charges", "status"),
    ("contracts", "customer_id"),
    ("contracts", "number_id"),
    ("contracts", "status"),
    ("ports", "donor_id"),
    ("ports", "number_id"),
    ("sims", "number_id"),
    ("sims", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Operator(TypedDict):
    id: str
    name: str
    ours: bool
    lead_days: int
    daily_ports: int


class Customer(TypedDict):
    id: str
    name: str
    since: str


class Number(TypedDict):
    id: str
    digits: str
    range_holder_id: str
    carrier_id: str
    subscriber_id: str | None
    quarantined_until: str | None


class Plan(TypedDict):
    id: str
    name: str
    monthly: int
    term_months: int
    sims: int


class Contract(TypedDict):
    id: str
    customer_id: str
    number_id: str
    plan_id: str
    started_on: str
    bound_until: str
    ended_on: str | None
    status: Literal["active", "ended", "ported_out"]


class Sim(TypedDict):
    id: str
    iccid: str
    kind: Literal["card", "esim"]
    number_id: str | None
    status: Literal["stock", "active", "retired"]


class Port(TypedDict):
    id: str
    number_id: str
    donor_id: str
    recipient_id: str
    claimant_id: str
    plan_id: str | None
    asked_on: str
    window_on: str
    refusal: Literal["wrong_holder", "number_inactive", "no_capacity"] | None
    status: Literal["requested", "accepted", "rejected", "cancelled", "completed"]


class Charge(TypedDict):
    id: str
    contract_id: str
    kind: Literal["exit_fee", "porting_fee", "sim_fee"]
    amount: int
    paid: int
    status: Literal["open", "settled", "waived"]


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


class NumberPorting:
    """Runs the number desk of a mobile operator, with numbers ported in and out, contracts and their
    terms, SIM cards, charges and numbers in quarantine.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.operators: dict[str, Operator] = _copied(config.get("operators", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.numbers: dict[str, Number] = _copied(config.get("numbers", {}))
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.contracts: dict[str, Contract] = _copied(config.get("contracts", {}))
        self.sims: dict[str, Sim] = _copied(config.get("sims", {}))
        self.ports: dict[str, Port] = _copied(config.get("ports", {}))
        self.charges: dict[str, Charge] = _copied(config.get("charges", {}))
        self.now: str = config.get("now", "2026-04-14T09:20")
        self.counters: dict[str, int] = {
            "operator": len(self.operators),
            "customer": len(self.customers),
            "number": len(self.numbers),
            "plan": len(self.plans),
            "contract": len(self.contracts),
            "sim": len(self.sims),
            "port": len(self.ports),
            "charge": len(self.charges),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contracts_by_customer: dict[Any, dict[str, Contract]] = {}
        self._contracts_by_number: dict[Any, dict[str, Contract]] = {}
        self._contracts_by_number_status: dict[Any, dict[str, Contract]] = {}
        self._sims_by_number: dict[Any, dict[str, Sim]] = {}
        self._sims_by_number_status: dict[Any, dict[str, Sim]] = {}
        self._ports_by_donor: dict[Any, dict[str, Port]] = {}
        self._ports_by_number: dict[Any, dict[str, Port]] = {}
        self._charges_by_contract_status: dict[Any, dict[str, Charge]] = {}
        for contract in self.contracts.values():
            self._link("contracts", contract)
        for sim in self.sims.values():
            self._link("sims", sim)
        for port in self.ports.values():
            self._link("ports", port)
        for charge in self.charges.values():
            self._link("charges", charge)

    def ports_due(
        self,
        operator_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Accepted ports whose window has come, earliest first.

        Args:
            operator_id (str, optional): Operator that gives or gets the numbers listed; an id such as
                OPERATOR-00001. If left out, the ports of all operators are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ports": records}} or {"success": False, "error": why
                not}
        """
        operator = self.operators.get(operator_id) if operator_id is not None else None
        if operator_id is not None and operator is None:
            return _refused(f"There is no operator {operator_id!r}.")
        found = [
            p
            for p in self.ports.values()
            if (p["status"] == "accepted" and p["window_on"] <= self.now[:10])
            and (operator_id is None or (p["donor_id"] == operator_id or p["recipient_id"] == operator_id))
        ]
        found.sort(key=lambda p: (p["window_on"], p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "ports": [
                    {
                        "id": p["id"],
                        "number": self.numbers[p["number_id"]]["digits"],
                        "donor": self.operators[p["donor_id"]]["name"],
                        "recipient": self.operators[p["recipient_id"]]["name"],
                        "claimant": self.customers[p["claimant_id"]]["name"],
                        "window_on": p["window_on"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def exit_quote(self, contract_id: str) -> Result:
        """What leaving today would cost for a contract.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "data": {customer, number, bound_until, exit_fee, open_charges}} or {"success":
                False, "error": why not}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        return _found(
            {
                "customer": self.customers[contract["customer_id"]]["name"],
                "number": self.numbers[contract["number_id"]]["digits"],
                "bound_until": contract["bound_until"],
                "exit_fee": self._exit_fee(contract, self.now[:10]),
                "open_charges": sum(
                    self._charge_open_amount(x)
                    for x in self._charges_by_contract_status.get((contract_id, "open"), {}).values()
                ),
            }
        )

    def port_capacity(self, operator_id: str, on: Date) -> Result:
        """How many numbers an operator lets go on some day, and how many more it can.

        Args:
            operator_id (str): Id of the operator, such as OPERATOR-00001.
            on (str): Day that is looked at, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {operator, earliest, planned, places}} or {"success": False, "error":
                why not}
        """
        operator = self.operators.get(operator_id)
        if operator is None:
            return _refused(f"There is no operator {operator_id!r}.")
        return _found(
            {
                "operator": operator["name"],
                "earliest": _plus_days(self.now[:10], operator["lead_days"]),
                "planned": self._leaving(operator, on),
                "places": operator["daily_ports"] - self._leaving(operator, on),
            }
        )

    def list_operators(
        self,
        name: Text | None = None,
        ours: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the operators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only operators whose name contains this text.
            ours (bool, optional): Only operators with this value of `ours`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "operators": records}}
        """
        found = [
            operator
            for operator in self.operators.values()
            if (name is None or name.casefold() in operator["name"].casefold())
            and (ours is None or operator["ours"] == ours)
        ]
        return _found(
            {"total": len(found), "operators": [self._show_operator(operator) for operator in _page(found, offset)]}
        )

    def list_customers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
        ]
        return _found(
            {"total": len(found), "customers": [self._show_customer(customer) for customer in _page(found, offset)]}
        )

    def list_numbers(
        self,
        digits: Text | None = None,
        range_holder_id: str | None = None,
        carrier_id: str | None = None,
        subscriber_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the numbers, oldest first, all of them or only some.

        Args:
            digits (str, optional): Only numbers whose digits contains this text.
            range_holder_id (str, optional): Only numbers whose range holder is this operator.
            carrier_id (str, optional): Only numbers whose carrier is this operator.
            subscriber_id (str, optional): Only numbers whose subscriber is this customer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "numbers": records}}
        """
        if range_holder_id is not None and range_holder_id not in self.operators:
            return _refused(f"There is no operator {range_holder_id!r}.")
        if carrier_id is not None and carrier_id not in self.operators:
            return _refused(f"There is no operator {carrier_id!r}.")
        if subscriber_id is not None and subscriber_id not in self.customers:
            return _refused(f"There is no customer {subscriber_id!r}.")
        found = [
            number
            for number in self.numbers.values()
            if (digits is None or digits.casefold() in number["digits"].casefold())
            and (range_holder_id is None or number["range_holder_id"] == range_holder_id)
            and (carrier_id is None or number["carrier_id"] == carrier_id)
            and (subscriber_id is None or number["subscriber_id"] == subscriber_id)
        ]
        shown = [self._show_number(number) for number in _page(found, offset)]
        return _found({"total": len(found), "numbers": shown}, self._names_of_numbers(shown))

    def list_plans(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only plans whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        found = [plan for plan in self.plans.values() if (name is None or name.casefold() in plan["name"].casefold())]
        return _found({"total": len(found), "plans": [{**plan} for plan in _page(found, offset)]})

    def list_contracts(
        self,
        customer_id: str | None = None,
        number_id: str | None = None,
        plan_id: str | None = None,
        status: Literal["active", "ended", "ported_out"] | None = None,
        started_on_from: Date | None = None,
        started_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contracts, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only contracts of this customer.
            number_id (str, optional): Only contracts of this number.
            plan_id (str, optional): Only contracts of this plan.
            status (str, optional): Only contracts with this status.
            started_on_from (str, optional): Only contracts whose `started_on` is on this day or later.
            started_on_to (str, optional): Only contracts whose `started_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contracts": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if number_id is not None and number_id not in self.numbers:
            return _refused(f"There is no number {number_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            contract
            for contract in self.contracts.values()
            if (customer_id is None or contract["customer_id"] == customer_id)
            and (number_id is None or contract["number_id"] == number_id)
            and (plan_id is None or contract["plan_id"] == plan_id)
            and (status is None or contract["status"] == status)
            and (started_on_from is None or contract["started_on"] >= started_on_from)
            and (started_on_to is None or contract["started_on"] <= started_on_to)
        ]
        shown = [self._show_contract(contract) for contract in _page(found, offset)]
        return _found({"total": len(found), "contracts": shown}, self._names_of_contracts(shown))

    def list_sims(
        self,
        iccid: Text | None = None,
        kind: Literal["card", "esim"] | None = None,
        number_id: str | None = None,
        status: Literal["stock", "active", "retired"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sims, oldest first, all of them or only some.

        Args:
            iccid (str, optional): Only sims whose iccid contains this text.
            kind (str, optional): Only sims with this kind.
            number_id (str, optional): Only sims of this number.
            status (str, optional): Only sims with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sims": records}}
        """
        if number_id is not None and number_id not in self.numbers:
            return _refused(f"There is no number {number_id!r}.")
        found = [
            sim
            for sim in self.sims.values()
            if (iccid is None or iccid.casefold() in sim["iccid"].casefold())
            and (kind is None or sim["kind"] == kind)
            and (number_id is None or sim["number_id"] == number_id)
            and (status is None or sim["status"] == status)
        ]
        shown = [{**sim} for sim in _page(found, offset)]
        return _found({"total": len(found), "sims": shown}, self._names_of_sims(shown))

    def list_ports(
        self,
        number_id: str | None = None,
        donor_id: str | None = None,
        recipient_id: str | None = None,
        claimant_id: str | None = None,
        plan_id: str | None = None,
        refusal: Literal["wrong_holder", "number_inactive", "no_capacity"] | None = None,
        status: Literal["requested", "accepted", "rejected", "cancelled", "completed"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ports, oldest first, all of them or only some.

        Args:
            number_id (str, optional): Only ports of this number.
            donor_id (str, optional): Only ports whose donor is this operator.
            recipient_id (str, optional): Only ports whose recipient is this operator.
            claimant_id (str, optional): Only ports whose claimant is this customer.
            plan_id (str, optional): Only ports of this plan.
            refusal (str, optional): Only ports with this refusal.
            status (str, optional): Only ports with this status.
            asked_on_from (str, optional): Only ports whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only ports whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ports": records}}
        """
        if number_id is not None and number_id not in self.numbers:
            return _refused(f"There is no number {number_id!r}.")
        if donor_id is not None and donor_id not in self.operators:
            return _refused(f"There is no operator {donor_id!r}.")
        if recipient_id is not None and recipient_id not in self.operators:
            return _refused(f"There is no operator {recipient_id!r}.")
        if claimant_id is not None and claimant_id not in self.customers:
            return _refused(f"There is no customer {claimant_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            port
            for port in self.ports.values()
            if (number_id is None or port["number_id"] == number_id)
            and (donor_id is None or port["donor_id"] == donor_id)
            and (recipient_id is None or port["recipient_id"] == recipient_id)
            and (claimant_id is None or port["claimant_id"] == claimant_id)
            and (plan_id is None or port["plan_id"] == plan_id)
            and (refusal is None or port["refusal"] == refusal)
            and (status is None or port["status"] == status)
            and (asked_on_from is None or port["asked_on"] >= asked_on_from)
            and (asked_on_to is None or port["asked_on"] <= asked_on_to)
        ]
        shown = [{**port} for port in _page(found, offset)]
        return _found({"total": len(found), "ports": shown}, self._names_of_ports(shown))

    def list_charges(
        self,
        contract_id: str | None = None,
        kind: Literal["exit_fee", "porting_fee", "sim_fee"] | None = None,
        status: Literal["open", "settled", "waived"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the charges, oldest first, all of them or only some.

        Args:
            contract_id (str, optional): Only charges of this contract.
            kind (str, optional): Only charges with this kind.
            status (str, optional): Only charges with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}}
        """
        if contract_id is not None and contract_id not in self.contracts:
            return _refused(f"There is no contract {contract_id!r}.")
        found = [
            charge
            for charge in self.charges.values()
            if (contract_id is None or charge["contract_id"] == contract_id)
            and (kind is None or charge["kind"] == kind)
            and (status is None or charge["status"] == status)
        ]
        return _found(
            {"total": len(found), "charges": [self._show_charge(charge) for charge in _page(found, offset)]}
        )

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_port_in(self, number_id: str, customer_id: str, plan_id: str, on: Date) -> Result:
        """Ask another operator to let a number go to us for a customer and a plan.

        Args:
            number_id (str): Id of the number, such as NUMBER-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            on (str): Working day for the switch, within 40 days and with the other operator's notice, as
                YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        number = self.numbers.get(number_id)
        if number is None:
            return _refused(f"There is no number {number_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if self.operators[number["carrier_id"]]["ours"]:
            return _refused(f"{number['digits']} is with us already.")
        waiting = self._open_port(number)
        if waiting is not None:
            return _refused(
                f"{number['digits']} has a port under way for {waiting['window_on']}, so cancel that first."
            )
        if self._customer_owes(customer) != 0:
            return _refused(
                f"{customer['name']} owes us {_money(self._customer_owes(customer))}, so take the payment first."
            )
        if (
            _plus_days(self.now[:10], self.operators[number["carrier_id"]]["lead_days"]) > on
            or on > _plus_days(self.now[:10], 40)
        ):
            return _refused(
                f"{self.operators[number['carrier_id']]['name']} wants "
                f"{self.operators[number['carrier_id']]['lead_days']} days of notice, and no port is planned more "
                "than 40 days ahead."
            )
        if _weekday(on) > 5:
            return _refused(f"{on} is on a weekend.")
        if self._leaving(
            self.operators[number["carrier_id"]],
            on,
        ) >= self.operators[number["carrier_id"]]["daily_ports"]:
            return _refused(
                f"{self.operators[number['carrier_id']]['name']} handles "
                f"{self.operators[number['carrier_id']]['daily_ports']} numbers a day and {on} is full."
            )
        self._journal = []
        port: Port = {
            "id": self._new_id("port", "PORT", self.ports),
            "number_id": number_id,
            "donor_id": number["carrier_id"],
            "recipient_id": (
                next((o for o in self.operators.values() if o["ours"]), None)
                or self.operators[number["carrier_id"]]
            )["id"],
            "claimant_id": customer_id,
            "plan_id": plan_id,
            "asked_on": self.now[:10],
            "window_on": on,
            "refusal": None,
            "status": "requested",
        }
        self._add("ports", port)
        if self._breaks_rule_2(port):
            return self._take_back(RULES[1])
        for one_port in _distinct([port, *self._ports_by_donor.get(port["donor_id"], {}).values()]):
            if self._breaks_rule_6(one_port):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(port):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(port):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(port):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: request the port of {number['digits']} for {customer['name']} on {on} with plan "
                f"{plan['name']} (new: port {port['id']})."
            ),
            "data": {"port_id": port["id"], **self._changes()},
        }

    def request_port_out(self, number_id: str, recipient_id: str, on: Date, claimant_id: str | None = None) -> Result:
        """Note that another operator wants a number of ours, for the customer it names or else for the subscriber.

        Args:
            number_id (str): Id of the number, such as NUMBER-00001.
            recipient_id (str): Other operator that wants the number; an id such as OPERATOR-00001.
            on (str): Working day for the switch, within 40 days and with our notice, as YYYY-MM-DD.
            claimant_id (str, optional): Customer whom the other operator names as holder of the number; an id such
                as CUSTOMER-00001. If left out, it is taken to be the subscriber.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        number = self.numbers.get(number_id)
        if number is None:
            return _refused(f"There is no number {number_id!r}.")
        recipient = self.operators.get(recipient_id)
        if recipient is None:
            return _refused(f"There is no operator {recipient_id!r}.")
        claimant = self.customers.get(claimant_id) if claimant_id is not None else None
        if claimant_id is not None and claimant is None:
            return _refused(f"There is no customer {claimant_id!r}.")
        if not self.operators[number["carrier_id"]]["ours"] or number["subscriber_id"] is None:
            return _refused(f"{number['digits']} has no customer of ours.")
        if recipient["ours"]:
            return _refused(f"{recipient['name']} is ourselves.")
        waiting = self._open_port(number)
        if waiting is not None:
            return _refused(
                f"{number['digits']} has a port under way for {waiting['window_on']}, so cancel that first."
            )
        if (
            _plus_days(self.now[:10], self.operators[number["carrier_id"]]["lead_days"]) > on
            or on > _plus_days(self.now[:10], 40)
        ):
            return _refused(
                f"We want {self.operators[number['carrier_id']]['lead_days']} days of notice, and no port is "
                "planned more than 40 days ahead."
            )
        if _weekday(on) > 5:
            return _refused(f"{on} is on a weekend.")
        if self._leaving(
            self.operators[number["carrier_id"]],
            on,
        ) >= self.operators[number["carrier_id"]]["daily_ports"]:
            return _refused(
                f"We handle {self.operators[number['carrier_id']]['daily_ports']} numbers a day and {on} is full."
            )
        self._journal = []
        port: Port = {
            "id": self._new_id("port", "PORT", self.ports),
            "number_id": number_id,
            "donor_id": number["carrier_id"],
            "recipient_id": recipient_id,
            "claimant_id": (claimant or self.customers[number["subscriber_id"]])["id"],
            "plan_id": None,
            "asked_on": self.now[:10],
            "window_on": on,
            "refusal": None,
            "status": "requested",
        }
        self._add("ports", port)
        if self._breaks_rule_2(port):
            return self._take_back(RULES[1])
        for one_port in _distinct([port, *self._ports_by_donor.get(port["donor_id"], {}).values()]):
            if self._breaks_rule_6(one_port):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(port):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(port):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(port):
            return self._take_back(RULES[8])
        done = f"note that {recipient['name']} wants {number['digits']} on {on}"
        if claimant is not None:
            done += f" for {claimant['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: port {port['id']}).",
            "data": {"port_id": port["id"], **self._changes()},
        }

    def accept_port(self, port_id: str) -> Result:
        """Enter that the operator which gives the number away agrees to the port.

        Args:
            port_id (str): Id of the port, such as PORT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        port = self.ports.get(port_id)
        if port is None:
            return _refused(f"There is no port {port_id!r}.")
        if port["status"] != "requested":
            return _refused(f"The port of {self.numbers[port['number_id']]['digits']} is {port['status']}.")
        if not self._holder_fits(port):
            return _refused(
                f"{self.numbers[port['number_id']]['digits']} is not registered to "
                f"{self.customers[port['claimant_id']]['name']}, so the port can only be refused."
            )
        self._journal = []
        self._put("ports", port, "status", "accepted")
        if self._breaks_rule_2(port):
            return self._take_back(RULES[1])
        for one_port in _distinct([port, *self._ports_by_donor.get(port["donor_id"], {}).values()]):
            if self._breaks_rule_6(one_port):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(port):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(port):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: accept the port of {self.numbers[port['number_id']]['digits']} for {port['window_on']}."
            ),
            "data": self._changes(),
        }

    def refuse_port(self, port_id: str, refusal: Literal["wrong_holder", "number_inactive", "no_capacity"]) -> Result:
        """Enter that the operator which gives the number away refuses the port.

        Args:
            port_id (str): Id of the port, such as PORT-00001.
            refusal (str): Why the operator that should give the number away refuses: wrong_holder, number_inactive
                or no_capacity.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        port = self.ports.get(port_id)
        if port is None:
            return _refused(f"There is no port {port_id!r}.")
        if port["status"] != "requested":
            return _refused(f"The port of {self.numbers[port['number_id']]['digits']} is {port['status']}.")
        if refusal == "wrong_holder" and self._holder_fits(port):
            return _refused(
                f"{self.numbers[port['number_id']]['digits']} is registered to "
                f"{self.customers[port['claimant_id']]['name']}, so the holder is right."
            )
        if refusal == "number_inactive" and self._running(self.numbers[port["number_id"]]) is not None:
            return _refused(
                f"{self.numbers[port['number_id']]['digits']} has a contract with us that runs, so it is active."
            )
        if (
            refusal == "no_capacity"
            and self.operators[port["donor_id"]]["ours"]
            and self._leaving(
                self.operators[port["donor_id"]],
                port["window_on"],
            ) < self.operators[port["donor_id"]]["daily_ports"]
        ):
            return _refused(
                f"We handle {self.operators[port['donor_id']]['daily_ports']} numbers a day and have room on "
                f"{port['window_on']}."
            )
        self._journal = []
        self._put("ports", port, "refusal", refusal)
        self._put("ports", port, "status", "rejected")
        if self._breaks_rule_2(port):
            return self._take_back(RULES[1])
        for one_port in _distinct([port, *self._ports_by_donor.get(port["donor_id"], {}).values()]):
            if self._breaks_rule_6(one_port):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(port):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(port):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: refuse the port of {self.numbers[port['number_id']]['digits']} for {refusal}.",
            "data": self._changes(),
        }

    def cancel_port(self, port_id: str) -> Result:
        """Cancel a port that is under way.

        Args:
            port_id (str): Id of the port, such as PORT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        port = self.ports.get(port_id)
        if port is None:
            return _refused(f"There is no port {port_id!r}.")
        if not self._pending(port):
            return _refused(f"The port of {self.numbers[port['number_id']]['digits']} is {port['status']}.")
        self._journal = []
        if port["status"] not in ("requested", "accepted", "cancelled"):
            return self._take_back(f"Port {port['id']} cannot go from {port['status']} to cancelled.")
        self._put("ports", port, "status", "cancelled")
        if self._breaks_rule_2(port):
            return self._take_back(RULES[1])
        for one_port in _distinct([port, *self._ports_by_donor.get(port["donor_id"], {}).values()]):
            if self._breaks_rule_6(one_port):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(port):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(port):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: cancel the port of {self.numbers[port['number_id']]['digits']} planned for "
                f"{port['window_on']}."
            ),
            "data": self._changes(),
        }

    def carry_out_port(self, port_id: str, sim_id: str | None = None) -> Result:
        """Switch a number over in its window. One that comes gets a contract and a SIM from stock; for one that
        leaves the contract ends, its SIMs are retired and the rest of the term costs an exit fee.

        Args:
            port_id (str): Id of the port, such as PORT-00001.
            sim_id (str, optional): SIM from stock, needed for a number that comes to us; an id such as SIM-00001.
                If left out, no SIM is given, as is right for a number that leaves.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        port = self.ports.get(port_id)
        if port is None:
            return _refused(f"There is no port {port_id!r}.")
        sim = self.sims.get(sim_id) if sim_id is not None else None
        if sim_id is not None and sim is None:
            return _refused(f"There is no sim {sim_id!r}.")
        if port["status"] != "accepted":
            return _refused(f"The port of {self.numbers[port['number_id']]['digits']} is {port['status']}.")
        if port["window_on"] > self.now[:10]:
            return _refused(f"The window of {self.numbers[port['number_id']]['digits']} is on {port['window_on']}.")
        if self.operators[port["recipient_id"]]["ours"] and sim_id is None:
            return _refused(f"{self.numbers[port['number_id']]['digits']} comes to us, so name a SIM from stock.")
        if not self.operators[port["recipient_id"]]["ours"] and sim_id is not None:
            return _refused(f"{self.numbers[port['number_id']]['digits']} leaves us and needs no SIM.")
        if sim_id is not None and sim["status"] != "stock":
            return _refused(f"SIM {sim['iccid']} is {sim['status']}.")
        self._journal = []
        changed_sims: list[Any] = []
        added_charges: list[Any] = []
        changed_contracts: list[Any] = []
        added_contracts: list[Any] = []
        changed_sims_2: list[Any] = []
        former_number_ids: list[Any] = []
        for c in sorted(self._contracts_by_number_status.get((port["number_id"], "active"), {}).values(), key=_age):
            for s in sorted(self._sims_by_number_status.get((port["number_id"], "active"), {}).values(), key=_age):
                if s["status"] not in ("active", "retired"):
                    return self._take_back(f"Sim {s['iccid']} cannot go from {s['status']} to retired.")
                changed_sims.append(s)
                self._put("sims", s, "status", "retired")
            if self._exit_fee(c, self.now[:10]) > 0:
                amount = self._exit_fee(c, self.now[:10])
                if not 1 <= amount <= 300000:
                    return self._take_back("The amount of a charge must be between 0.01 and 3,000.00.")
                charge = {
                    "id": self._new_id("charge", "CHARGE", self.charges),
                    "contract_id": c["id"],
                    "kind": "exit_fee",
                    "amount": amount,
                    "paid": 0,
                    "status": "open",
                }
                self._add("charges", charge)
                added_charges.append(charge)
            self._put("contracts", c, "ended_on", self.now[:10])
            if c["status"] not in ("active", "ported_out"):
                return self._take_back(f"Contract {c['id']} cannot go from {c['status']} to ported_out.")
            changed_contracts.append(c)
            self._put("contracts", c, "status", "ported_out")
        number = self.numbers[port["number_id"]]
        self._put("numbers", number, "carrier_id", port["recipient_id"])
        its_number = self.numbers[port["number_id"]]
        self._put("numbers", its_number, "subscriber_id", port["claimant_id"])
        if sim_id is not None and port["plan_id"] is not None:
            contract = {
                "id": self._new_id("contract", "CONTRACT", self.contracts),
                "customer_id": port["claimant_id"],
                "number_id": port["number_id"],
                "plan_id": port["plan_id"],
                "started_on": self.now[:10],
                "bound_until": _add_months(self.now[:10], self.plans[port["plan_id"]]["term_months"]),
                "ended_on": None,
                "status": "active",
            }
            self._add("contracts", contract)
            added_contracts.append(contract)
            changed_sims_2.append(sim)
            former_number_ids.append(sim["number_id"])
            self._put("sims", sim, "number_id", port["number_id"])
            if sim["status"] not in ("stock", "active"):
                return self._take_back(f"Sim {sim['iccid']} cannot go from {sim['status']} to active.")
            changed_sims.append(sim)
            self._put("sims", sim, "status", "active")
        self._put("ports", port, "status", "completed")
        for one_contract in _distinct([*changed_contracts, *added_contracts]):
            if self._breaks_rule_1(one_contract):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(port):
            return self._take_back(RULES[1])
        for one_contract in _distinct(
            [
                *changed_contracts,
                *self._contracts_by_number_status.get((number["id"], "active"), {}).values(),
                *self._contracts_by_number_status.get((its_number["id"], "active"), {}).values(),
                *added_contracts,
            ]
        ):
            if self._breaks_rule_3(one_contract):
                return self._take_back(RULES[2])
        for one_contract in _distinct(
            [
                *[
                    user
                    for one in [self.numbers.get(one["number_id"]) for one in changed_sims]
                    if one is not None
                    for user in self._contracts_by_number.get(one["id"], {}).values()
                ],
                *added_contracts,
                *[
                    user
                    for one in [self.numbers.get(one["number_id"]) for one in changed_sims_2]
                    if one is not None
                    for user in self._contracts_by_number.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.numbers.get(key) for key in former_number_ids]
                    if one is not None
                    for user in self._contracts_by_number.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_contract):
                return self._take_back(RULES[3])
        for one_sim in _distinct(
            [
                *changed_sims,
                *[
                    user
                    for one in [self.numbers[one["number_id"]] for one in changed_contracts]
                    for user in self._sims_by_number.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.numbers[one["number_id"]] for one in added_contracts]
                    for user in self._sims_by_number.get(one["id"], {}).values()
                ],
                *changed_sims_2,
            ]
        ):
            if self._breaks_rule_5(one_sim):
                return self._take_back(RULES[4])
        for one_port in _distinct([port, *self._ports_by_donor.get(port["donor_id"], {}).values()]):
            if self._breaks_rule_6(one_port):
                return self._take_back(RULES[5])
        for one_port in _distinct([port, *self._ports_by_number.get(number["id"], {}).values()]):
            if self._breaks_rule_8(one_port):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(port):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(number):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(its_number):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(number):
            return self._take_back(RULES[10])
        if self._breaks_rule_11(its_number):
            return self._take_back(RULES[10])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_12(one_charge):
                return self._take_back(RULES[11])
        done = f"switch {self.numbers[port['number_id']]['digits']} over to {self.operators[port['recipient_id']]['name']}"
        if sim is not None:
            done += f" with SIM {sim['iccid']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def open_contract(self, customer_id: str, number_id: str, plan_id: str, sim_id: str) -> Result:
        """Open a contract with a free number of ours and a SIM from stock.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            number_id (str): Id of the number, such as NUMBER-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            sim_id (str): Id of the sim, such as SIM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        number = self.numbers.get(number_id)
        if number is None:
            return _refused(f"There is no number {number_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        sim = self.sims.get(sim_id)
        if sim is None:
            return _refused(f"There is no sim {sim_id!r}.")
        if not self.operators[number["carrier_id"]]["ours"]:
            return _refused(f"{number['digits']} is with {self.operators[number['carrier_id']]['name']}.")
        if number["quarantined_until"] is not None:
            return _refused(f"{number['digits']} is in quarantine until {number['quarantined_until']}.")
        if not self._number_free(number):
            return _refused(f"{number['digits']} is in use.")
        if self._customer_owes(customer) != 0:
            return _refused(
                f"{customer['name']} owes us {_money(self._customer_owes(customer))}, so take the payment first."
            )
        if sim["status"] != "stock":
            return _refused(f"SIM {sim['iccid']} is {sim['status']}.")
        self._journal = []
        self._put("numbers", number, "subscriber_id", customer_id)
        contract: Contract = {
            "id": self._new_id("contract", "CONTRACT", self.contracts),
            "customer_id": customer_id,
            "number_id": number_id,
            "plan_id": plan_id,
            "started_on": self.now[:10],
            "bound_until": _add_months(self.now[:10], plan["term_months"]),
            "ended_on": None,
            "status": "active",
        }
        self._add("contracts", contract)
        former_number_id = sim["number_id"]
        self._put("sims", sim, "number_id", contract["number_id"])
        self._put("sims", sim, "status", "active")
        if self._breaks_rule_1(contract):
            return self._take_back(RULES[0])
        for one_contract in _distinct(
            [contract, *self._contracts_by_number_status.get((number["id"], "active"), {}).values()]
        ):
            if self._breaks_rule_3(one_contract):
                return self._take_back(RULES[2])
        for one_contract in _distinct(
            [
                contract,
                *[
                    user
                    for one in [self.numbers.get(sim["number_id"])]
                    if one is not None
                    for user in self._contracts_by_number.get(sim["number_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.numbers.get(former_number_id)]
                    if one is not None
                    for user in self._contracts_by_number.get(former_number_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_contract):
                return self._take_back(RULES[3])
        for one_sim in _distinct([sim, *self._sims_by_number.get(contract["number_id"], {}).values()]):
            if self._breaks_rule_5(one_sim):
                return self._take_back(RULES[4])
        if self._breaks_rule_10(number):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(number):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: open a contract for {customer['name']} with {number['digits']}, plan {plan['name']} and "
                f"SIM {sim['iccid']} (new: contract {contract['id']})."
            ),
            "data": {"contract_id": contract["id"], **self._changes()},
        }

    def end_contract(self, contract_id: str) -> Result:
        """End a contract; a number of our range goes into quarantine for 90 days and any other one back to the
        operator of its range, and the rest of the term costs an exit fee.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        if contract["status"] != "active":
            return _refused(
                f"The contract of {self.customers[contract['customer_id']]['name']} for "
                f"{self.numbers[contract['number_id']]['digits']} is {contract['status']}."
            )
        waiting = self._open_port(self.numbers[contract["number_id"]])
        if waiting is not None:
            return _refused(
                f"{self.numbers[contract['number_id']]['digits']} has a port under way for "
                f"{waiting['window_on']}, so cancel that first."
            )
        due = sum(
            self._charge_open_amount(x)
            for x in self._charges_by_contract_status.get((contract_id, "open"), {}).values()
        )
        if due != 0:
            return _refused(f"{_money(due)} of this contract is still to be paid or waived.")
        self._journal = []
        changed_sims: list[Any] = []
        added_charges: list[Any] = []
        changed_numbers: list[Any] = []
        for s in sorted(self._sims_by_number_status.get((contract["number_id"], "active"), {}).values(), key=_age):
            if s["status"] not in ("active", "retired"):
                return self._take_back(f"Sim {s['iccid']} cannot go from {s['status']} to retired.")
            changed_sims.append(s)
            self._put("sims", s, "status", "retired")
        if self._exit_fee(contract, self.now[:10]) > 0:
            amount = self._exit_fee(contract, self.now[:10])
            if not 1 <= amount <= 300000:
                return self._take_back("The amount of a charge must be between 0.01 and 3,000.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "contract_id": contract_id,
                "kind": "exit_fee",
                "amount": amount,
                "paid": 0,
                "status": "open",
            }
            self._add("charges", charge)
            added_charges.append(charge)
        self._put("contracts", contract, "ended_on", self.now[:10])
        self._put("contracts", contract, "status", "ended")
        number = self.numbers[contract["number_id"]]
        self._put("numbers", number, "subscriber_id", None)
        its_number = self.numbers[contract["number_id"]]
        self._put("numbers", its_number, "carrier_id", self.numbers[contract["number_id"]]["range_holder_id"])
        if self.operators[self.numbers[contract["number_id"]]["range_holder_id"]]["ours"]:
            its_number_2 = self.numbers[contract["number_id"]]
            changed_numbers.append(its_number_2)
            self._put("numbers", its_number_2, "quarantined_until", _plus_days(self.now[:10], 90))
        if self._breaks_rule_1(contract):
            return self._take_back(RULES[0])
        for one_contract in _distinct(
            [
                contract,
                *self._contracts_by_number_status.get((number["id"], "active"), {}).values(),
                *self._contracts_by_number_status.get((its_number["id"], "active"), {}).values(),
            ]
        ):
            if self._breaks_rule_3(one_contract):
                return self._take_back(RULES[2])
        for one_contract in _distinct(
            [
                user
                for one in [self.numbers.get(one["number_id"]) for one in changed_sims]
                if one is not None
                for user in self._contracts_by_number.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_4(one_contract):
                return self._take_back(RULES[3])
        for one_sim in _distinct([*changed_sims, *self._sims_by_number.get(contract["number_id"], {}).values()]):
            if self._breaks_rule_5(one_sim):
                return self._take_back(RULES[4])
        for one_port in _distinct(self._ports_by_number.get(its_number["id"], {}).values()):
            if self._breaks_rule_8(one_port):
                return self._take_back(RULES[7])
        for one_number in _distinct([number, its_number, *changed_numbers]):
            if self._breaks_rule_10(one_number):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(number):
            return self._take_back(RULES[10])
        if self._breaks_rule_11(its_number):
            return self._take_back(RULES[10])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_12(one_charge):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: end the contract of {self.customers[contract['customer_id']]['name']} for "
                f"{self.numbers[contract['number_id']]['digits']}."
            ),
            "data": self._changes(),
        }

    def release_number(self, number_id: str) -> Result:
        """Release a number whose quarantine is over for new customers.

        Args:
            number_id (str): Id of the number, such as NUMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        number = self.numbers.get(number_id)
        if number is None:
            return _refused(f"There is no number {number_id!r}.")
        if number["quarantined_until"] is None:
            return _refused(f"{number['digits']} is not in quarantine.")
        if number["quarantined_until"] > self.now[:10]:
            return _refused(f"{number['digits']} stays in quarantine until {number['quarantined_until']}.")
        self._journal = []
        self._put("numbers", number, "quarantined_until", None)
        if self._breaks_rule_10(number):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: release {number['digits']} from quarantine.",
            "data": self._changes(),
        }

    def activate_sim(self, contract_id: str, sim_id: str, instead_of_id: str | None = None) -> Result:
        """Put a SIM from stock on a contract, as a further one or in the place of another; it costs a SIM fee.

        Args:
            contract_id (str): Id of the contract, such as CONTRACT-00001.
            sim_id (str): Id of the sim, such as SIM-00001.
            instead_of_id (str, optional): Active SIM of the contract that is retired for the new one; an id such
                as SIM-00001. If left out, the new SIM is a further one.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contract = self.contracts.get(contract_id)
        if contract is None:
            return _refused(f"There is no contract {contract_id!r}.")
        sim = self.sims.get(sim_id)
        if sim is None:
            return _refused(f"There is no sim {sim_id!r}.")
        instead_of = self.sims.get(instead_of_id) if instead_of_id is not None else None
        if instead_of_id is not None and instead_of is None:
            return _refused(f"There is no sim {instead_of_id!r}.")
        if contract["status"] != "active":
            return _refused(
                f"The contract for {self.numbers[contract['number_id']]['digits']} is {contract['status']}."
            )
        if sim["status"] != "stock":
            return _refused(f"SIM {sim['iccid']} is {sim['status']}.")
        if not (
            instead_of_id is None
            or instead_of["number_id"] == contract["number_id"]
            and instead_of["status"] == "active"
        ):
            return _refused(
                f"SIM {instead_of['iccid']} is not in use on {self.numbers[contract['number_id']]['digits']}."
            )
        if instead_of_id is None and self._contract_active_sims(contract) >= self.plans[contract["plan_id"]]["sims"]:
            return _refused(
                f"{self.plans[contract['plan_id']]['name']} allows {self.plans[contract['plan_id']]['sims']} "
                "SIMs, so name the one to be replaced."
            )
        self._journal = []
        changed_sims: list[Any] = []
        if instead_of_id is not None:
            if instead_of["status"] not in ("active", "retired"):
                return self._take_back(f"Sim {instead_of['iccid']} cannot go from {instead_of['status']} to retired.")
            changed_sims.append(instead_of)
            self._put("sims", instead_of, "status", "retired")
        former_number_id = sim["number_id"]
        self._put("sims", sim, "number_id", contract["number_id"])
        if sim["status"] not in ("stock", "active"):
            return self._take_back(f"Sim {sim['iccid']} cannot go from {sim['status']} to active.")
        self._put("sims", sim, "status", "active")
        charge: Charge = {
            "id": self._new_id("charge", "CHARGE", self.charges),
            "contract_id": contract_id,
            "kind": "sim_fee",
            "amount": 990 if sim["kind"] == "card" else 490,
            "paid": 0,
            "status": "open",
        }
        self._add("charges", charge)
        for one_contract in _distinct(
            [
                *[
                    user
                    for one in [self.numbers.get(one["number_id"]) for one in changed_sims]
                    if one is not None
                    for user in self._contracts_by_number.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.numbers.get(sim["number_id"])]
                    if one is not None
                    for user in self._contracts_by_number.get(sim["number_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.numbers.get(former_number_id)]
                    if one is not None
                    for user in self._contracts_by_number.get(former_number_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_contract):
                return self._take_back(RULES[3])
        for one_sim in _distinct([sim, *changed_sims]):
            if self._breaks_rule_5(one_sim):
                return self._take_back(RULES[4])
        if self._breaks_rule_12(charge):
            return self._take_back(RULES[11])
        done = f"activate SIM {sim['iccid']} on {self.numbers[contract['number_id']]['digits']}"
        if instead_of is not None:
            done += f" instead of {instead_of['iccid']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: charge {charge['id']}).",
            "data": {"charge_id": charge["id"], **self._changes()},
        }

    def settle_charge(
        self,
        charge_id: str,
        paid: Annotated[int, {"minimum": 0, "maximum": 300000}],
        waive_rest: bool = False,
    ) -> Result:
        """Take a payment for a charge, and waive the rest if that is wanted.

        Args:
            charge_id (str): Id of the charge, such as CHARGE-00001.
            paid (int): Money that the customer pays now, at most what is open, in cents, from 0 to 300000.
            waive_rest (bool): Whether what stays open after this payment is waived. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        charge = self.charges.get(charge_id)
        if charge is None:
            return _refused(f"There is no charge {charge_id!r}.")
        if charge["status"] != "open":
            return _refused(f"This charge of {_money(charge['amount'])} is {charge['status']}.")
        if not (paid > 0 or waive_rest):
            return _refused("Name an amount, or waive the charge.")
        if paid > self._charge_open_amount(charge):
            return _refused(f"Only {_money(self._charge_open_amount(charge))} is open, not {_money(paid)}.")
        if waive_rest and paid >= self._charge_open_amount(charge):
            return _refused("Nothing would be left to waive.")
        self._journal = []
        changed_charges: list[Any] = []
        new_paid = charge["paid"] + paid
        if not 0 <= new_paid <= 300000:
            return self._take_back(f"The paid of {charge['id']} must be between 0.00 and 3,000.00.")
        self._put("charges", charge, "paid", new_paid)
        if charge["paid"] == charge["amount"]:
            changed_charges.append(charge)
            self._put("charges", charge, "status", "settled")
        else:
            if waive_rest:
                if charge["status"] not in ("open", "waived"):
                    return self._take_back(f"Charge {charge['id']} cannot go from {charge['status']} to waived.")
                changed_charges.append(charge)
                self._put("charges", charge, "status", "waived")
        for one_charge in _distinct([charge, *changed_charges]):
            if self._breaks_rule_12(one_charge):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take {_money(paid)} for the {charge['kind']} of "
                f"{self.customers[self.contracts[charge['contract_id']]['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_operator(self, operator: Operator) -> dict[str, Any]:
        """The operator as an answer shows it."""
        return {**operator, "pending": self._operator_pending(operator)}

    def _show_customer(self, customer: Customer) -> dict[str, Any]:
        """The customer as an answer shows it."""
        return {**customer, "owes": self._customer_owes(customer)}

    def _show_number(self, number: Number) -> dict[str, Any]:
        """The number as an answer shows it."""
        return {**number, "free": self._number_free(number)}

    def _show_contract(self, contract: Contract) -> dict[str, Any]:
        """The contract as an answer shows it."""
        return {**contract, "active_sims": self._contract_active_sims(contract)}

    def _show_charge(self, charge: Charge) -> dict[str, Any]:
        """The charge as an answer shows it."""
        return {**charge, "open_amount": self._charge_open_amount(charge)}

    def _names_of_numbers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that numbers point to."""
        return _names(
            (self.operators, "name", [row["range_holder_id"] for row in shown]),
            (self.operators, "name", [row["carrier_id"] for row in shown]),
            (self.customers, "name", [row["subscriber_id"] for row in shown]),
        )

    def _names_of_contracts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contracts point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.numbers, "digits", [row["number_id"] for row in shown]),
            (self.plans, "name", [row["plan_id"] for row in shown]),
        )

    def _names_of_sims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sims point to."""
        return _names((self.numbers, "digits", [row["number_id"] for row in shown]))

    def _names_of_ports(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that ports point to."""
        return _names(
            (self.numbers, "digits", [row["number_id"] for row in shown]),
            (self.operators, "name", [row["donor_id"] for row in shown]),
            (self.operators, "name", [row["recipient_id"] for row in shown]),
            (self.customers, "name", [row["claimant_id"] for row in shown]),
            (self.plans, "name", [row["plan_id"] for row in shown]),
        )

    def _operator_pending(self, operator: Operator) -> int:
        """The pending of an operator."""
        return sum(
            1
            for p in self._ports_by_donor.get(operator["id"], {}).values()
            if p["status"] in ("requested", "accepted")
        )

    def _customer_owes(self, customer: Customer) -> int:
        """The owes of a customer."""
        return sum(
            self._charge_open_amount(x)
            for _contract in self._contracts_by_customer.get(customer["id"], {}).values()
            for x in self._charges_by_contract_status.get((_contract["id"], "open"), {}).values()
        )

    def _number_free(self, number: Number) -> bool:
        """The free of a number."""
        return (
            self.operators[number["carrier_id"]]["ours"]
            and number["subscriber_id"] is None
            and number["quarantined_until"] is None
        )

    def _contract_active_sims(self, contract: Contract) -> int:
        """The active sims of a contract."""
        return len(self._sims_by_number_status.get((contract["number_id"], "active"), {}))

    def _charge_open_amount(self, charge: Charge) -> int:
        """The open amount of a charge."""
        return charge["amount"] - charge["paid"]

    def _pending(self, p: Port) -> bool:
        return p["status"] in ("requested", "accepted")

    def _open_port(self, n: Number) -> Port | None:
        return next(
            (p for p in sorted(self._ports_by_number.get(n["id"], {}).values(), key=_age) if self._pending(p)),
            None,
        )

    def _running(self, n: Number) -> Contract | None:
        return next(
            (c for c in sorted(self._contracts_by_number_status.get((n["id"], "active"), {}).values(), key=_age)),
            None,
        )

    def _leaving(self, o: Operator, d: str) -> int:
        return sum(
            1
            for p in self._ports_by_donor.get(o["id"], {}).values()
            if p["window_on"] == d
            and p["status"] in ("requested", "accepted", "completed")
        )

    def _exit_fee(self, c: Contract, d: str) -> int:
        return _rounded(
            Fraction(self.plans[c["plan_id"]]["monthly"] * max(_days_between(d, c["bound_until"]), 0), 60)
        )

    def _holder_fits(self, p: Port) -> bool:
        return (
            self.numbers[p["number_id"]]["subscriber_id"] is not None
            and self.numbers[p["number_id"]]["subscriber_id"] == p["claimant_id"]
        )

    def _breaks_rule_1(self, c: Contract) -> bool:
        """Whether this is broken: a number has at most one contract that runs."""
        return (
            c["status"] == "active"
            and any(
                other_c is not c
                for other_c in self._contracts_by_number_status.get((c["number_id"], "active"), {}).values()
            )
        )

    def _breaks_rule_2(self, p: Port) -> bool:
        """Whether this is broken: a number has at most one port under way."""
        return (
            self._pending(p)
            and any(
                other_p is not p
                for other_p in self._ports_by_number.get(p["number_id"], {}).values()
                if self._pending(other_p)
            )
        )

    def _breaks_rule_3(self, c: Contract) -> bool:
        """Whether this is broken: a running contract is for a number that our network carries for this very customer.
        """
        return (
            c["status"] == "active"
            and (
                not self.operators[self.numbers[c["number_id"]]["carrier_id"]]["ours"]
                or self.numbers[c["number_id"]]["subscriber_id"] != c["customer_id"]
            )
        )

    def _breaks_rule_4(self, c: Contract) -> bool:
        """Whether this is broken: a contract never has more SIMs than its plan allows."""
        return self._contract_active_sims(c) > self.plans[c["plan_id"]]["sims"]

    def _breaks_rule_5(self, s: Sim) -> bool:
        """Whether this is broken: a SIM in stock has no number, and an active one serves a number with a contract
        that runs.
        """
        return not (
            (s["status"] == "stock") == (s["number_id"] is None)
            and (
                s["status"] != "active"
                or any(c["status"] == "active" for c in self._contracts_by_number.get(s["number_id"], {}).values())
            )
        )

    def _breaks_rule_6(self, p: Port) -> bool:
        """Whether this is broken: an operator lets no more numbers go on one day than it can handle."""
        return (
            p["status"] in ("requested", "accepted", "completed")
            and self._leaving(
                self.operators[p["donor_id"]],
                p["window_on"],
            ) > self.operators[p["donor_id"]]["daily_ports"]
        )

    def _breaks_rule_7(self, p: Port) -> bool:
        """Whether this is broken: a port leads from or to our network, and never on a weekend."""
        return (
            self.operators[p["donor_id"]]["ours"] == self.operators[p["recipient_id"]]["ours"]
            or _weekday(p["window_on"]) > 5
        )

    def _breaks_rule_8(self, p: Port) -> bool:
        """Whether this is broken: a port under way starts from the operator that carries the number."""
        return self._pending(p) and self.numbers[p["number_id"]]["carrier_id"] != p["donor_id"]

    def _breaks_rule_9(self, p: Port) -> bool:
        """Whether this is broken: a rejected port says why, and no other port has a refusal."""
        return (p["status"] == "rejected") != (p["refusal"] is not None)

    def _breaks_rule_10(self, n: Number) -> bool:
        """Whether this is broken: only numbers of our own range that nobody uses are in quarantine."""
        return not (
            n["quarantined_until"] is None
            or self.operators[n["range_holder_id"]]["ours"]
            and self.operators[n["carrier_id"]]["ours"]
            and n["subscriber_id"] is None
        )

    def _breaks_rule_11(self, n: Number) -> bool:
        """Whether this is broken: a number that nobody uses is with the operator whose range it comes from."""
        return n["subscriber_id"] is None and n["carrier_id"] != n["range_holder_id"]

    def _breaks_rule_12(self, x: Charge) -> bool:
        """Whether this is broken: nobody pays more than a charge, and a charge that is paid in full is settled."""
        return x["paid"] > x["amount"] or (x["status"] == "settled") != (x["paid"] == x["amount"])

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
            case "contracts":
                self._contracts_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._contracts_by_number.setdefault(record["number_id"], {})[record["id"]] = record
                self._contracts_by_number_status.setdefault(
                    (record["number_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "sims":
                self._sims_by_number.setdefault(record["number_id"], {})[record["id"]] = record
                self._sims_by_number_status.setdefault((record["number_id"], record["status"]), {})[record["id"]] = record
            case "ports":
                self._ports_by_donor.setdefault(record["donor_id"], {})[record["id"]] = record
                self._ports_by_number.setdefault(record["number_id"], {})[record["id"]] = record
            case "charges":
                self._charges_by_contract_status.setdefault(
                    (record["contract_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contracts":
                del self._contracts_by_customer[record["customer_id"]][record["id"]]
                del self._contracts_by_number[record["number_id"]][record["id"]]
                del self._contracts_by_number_status[record["number_id"], record["status"]][record["id"]]
            case "sims":
                del self._sims_by_number[record["number_id"]][record["id"]]
                del self._sims_by_number_status[record["number_id"], record["status"]][record["id"]]
            case "ports":
                del self._ports_by_donor[record["donor_id"]][record["id"]]
                del self._ports_by_number[record["number_id"]][record["id"]]
            case "charges":
                del self._charges_by_contract_status[record["contract_id"], record["status"]][record["id"]]
