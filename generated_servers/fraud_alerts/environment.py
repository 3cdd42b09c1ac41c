"""Fraud alerts. Compiled from blueprint.yaml; run `envscaler build fraud_alerts` after changing it there.

Guards the payments of a bank's customers - payments that score too high are held, alerts are joined into cases,
accounts are held and released under four eyes, payees are trusted for a time and losses are won back.
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
    "A customer has one open case at a time.",
    "An alert belongs to a case exactly as long as it is joined to it, and only to a case of the customer who paid.",
    "An account is held only for a case of its owner that is open or confirmed.",
    "A payee is trusted once for an account, and never when flagged.",
    "What is at stake in an open case is within the limit of whoever handles it.",
    "An analyst handles four open cases at most.",
    "No more is won back or written off than was lost.",
    "A closed case leaves no loss open.",
    "A payment has one alert under way at a time.",
    "A payment that is held or disputed has an alert that was not dismissed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "make_payment",
    "report_payment",
    "dismiss_alert",
    "investigate_alert",
    "hand_over_case",
    "hold_account",
    "release_account",
    "decide_case",
    "record_recovery",
    "close_case",
    "trust_payee",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "analysts": ("name",),
    "accounts": ("number",),
    "payees": ("name",),
    "trusts": (),
    "payments": (),
    "alerts": (),
    "cases": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("accounts", "held_for_id"),
    ("accounts", "owner_id"),
    ("alerts", "file_id"),
    ("alerts", "payment_id"),
    ("alerts", "status"),
    ("cases", "customer_id"),
    ("cases", "handler_id"),
    ("cases", "status"),
    ("payments", "account_id"),
    ("payments", "status"),
    ("trusts", "account_id"),
    ("trusts", "payee_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str
    vulnerable: bool


class Analyst(TypedDict):
    id: str
    name: str
    senior: bool
    limit: int


class Account(TypedDict):
    id: str
    number: str
    owner_id: str
    balance: int
    held_for_id: str | None


class Payee(TypedDict):
    id: str
    name: str
    flagged: bool


class Trust(TypedDict):
    id: str
    account_id: str
    payee_id: str
    until: str
    ended: bool


class Payment(TypedDict):
    id: str
    account_id: str
    payee_id: str
    amount: int
    made_on: str
    status: Literal["held", "paid", "cancelled", "disputed"]


class Alert(TypedDict):
    id: str
    payment_id: str
    points: int
    raised_at: str
    file_id: str | None
    dismissed_by_id: str | None
    status: Literal["new", "joined", "dismissed"]


class Case(TypedDict):
    id: str
    customer_id: str
    handler_id: str
    opened_on: str
    recovered: int
    written_off: int
    status: Literal["open", "confirmed", "cleared", "closed"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class FraudAlerts:
    """Guards the payments of a bank's customers - payments that score too high are held, alerts are joined
    into cases, accounts are held and released under four eyes, payees are trusted for a time and losses
    are won back.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.analysts: dict[str, Analyst] = _copied(config.get("analysts", {}))
        self.accounts: dict[str, Account] = _copied(config.get("accounts", {}))
        self.payees: dict[str, Payee] = _copied(config.get("payees", {}))
        self.trusts: dict[str, Trust] = _copied(config.get("trusts", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.alerts: dict[str, Alert] = _copied(config.get("alerts", {}))
        self.cases: dict[str, Case] = _copied(config.get("cases", {}))
        self.now: str = config.get("now", "2026-03-19T14:05")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "analyst": len(self.analysts),
            "account": len(self.accounts),
            "payee": len(self.payees),
            "trust": len(self.trusts),
            "payment": len(self.payments),
            "alert": len(self.alerts),
            "case": len(self.cases),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._accounts_by_held_for: dict[Any, dict[str, Account]] = {}
        self._accounts_by_owner: dict[Any, dict[str, Account]] = {}
        self._trusts_by_account_payee: dict[Any, dict[str, Trust]] = {}
        self._trusts_by_payee: dict[Any, dict[str, Trust]] = {}
        self._payments_by_account_status: dict[Any, dict[str, Payment]] = {}
        self._alerts_by_file: dict[Any, dict[str, Alert]] = {}
        self._alerts_by_payment: dict[Any, dict[str, Alert]] = {}
        self._alerts_by_status: dict[Any, dict[str, Alert]] = {}
        self._cases_by_customer_status: dict[Any, dict[str, Case]] = {}
        self._cases_by_handler_status: dict[Any, dict[str, Case]] = {}
        for account in self.accounts.values():
            self._link("accounts", account)
        for trust in self.trusts.values():
            self._link("trusts", trust)
        for payment in self.payments.values():
            self._link("payments", payment)
        for alert in self.alerts.values():
            self._link("alerts", alert)
        for case in self.cases.values():
            self._link("cases", case)

    def alert_queue(
        self,
        least: Annotated[int, {"minimum": 0, "maximum": 150}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """New alerts, those with the most points first and the oldest first among equals.

        Args:
            least (int, optional): Least points of the alerts that are listed, from 0 to 150. If left out, all new
                alerts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "alerts": records}} or {"success": False, "error": why
                not}
        """
        found = [a for a in self._alerts_by_status.get("new", {}).values() if (least is None or a["points"] >= least)]
        found.sort(key=lambda a: (-a["points"], a["raised_at"], a["id"], _age(a)))
        return _found(
            {
                "total": len(found),
                "alerts": [
                    {
                        "id": a["id"],
                        "points": a["points"],
                        "raised_at": a["raised_at"],
                        "customer": self.customers[
                            self.accounts[self.payments[a["payment_id"]]["account_id"]]["owner_id"]
                        ]["name"],
                        "payee": self.payees[self.payments[a["payment_id"]]["payee_id"]]["name"],
                        "amount": self.payments[a["payment_id"]]["amount"],
                        "payment_status": self.payments[a["payment_id"]]["status"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def score_payment(
        self,
        account_id: str,
        payee_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 2000000}],
    ) -> Result:
        """How many points a payment would get now, and whether it would be held.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            payee_id (str): Id of the payee, such as PAYEE-00001.
            amount (int): Sum that would be paid, in cents, from 100 to 2000000.

        Returns:
            dict: {"success": True, "data": {points, held, trusted, account_held}} or {"success": False, "error":
                why not}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        payee = self.payees.get(payee_id)
        if payee is None:
            return _refused(f"There is no payee {payee_id!r}.")
        return _found(
            {
                "points": self._points(account, payee, amount, self.now[:10]),
                "held": self._points(account, payee, amount, self.now[:10]) >= 50,
                "trusted": self._trusted(account, payee, self.now[:10]),
                "account_held": account["held_for_id"] is not None,
            }
        )

    def customer_picture(self, customer_id: str) -> Result:
        """What there is about a customer - accounts, the open case, what is at stake and what is still lost.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.

        Returns:
            dict: {"success": True, "data": {accounts, held, open_case, at_stake, still_lost}} or {"success":
                False, "error": why not}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        return _found(
            {
                "accounts": [
                    *[a["number"] for a in sorted(self._accounts_by_owner.get(customer_id, {}).values(), key=_age)]
                ],
                "held": [
                    *[
                        a["number"]
                        for a in sorted(self._accounts_by_owner.get(customer_id, {}).values(), key=_age)
                        if a["held_for_id"] is not None
                    ]
                ],
                "open_case": _id_of(self._case_of(customer)),
                "at_stake": sum(
                    self._case_exposure(f)
                    for f in self._cases_by_customer_status.get((customer_id, "open"), {}).values()
                ),
                "still_lost": sum(
                    self._open_loss(f)
                    for f in self._cases_by_customer_status.get((customer_id, "confirmed"), {}).values()
                ),
            }
        )

    def list_customers(
        self,
        name: Text | None = None,
        vulnerable: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            vulnerable (bool, optional): Only customers that are vulnerable (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (vulnerable is None or customer["vulnerable"] == vulnerable)
        ]
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_analysts(
        self,
        name: Text | None = None,
        senior: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the analysts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only analysts whose name contains this text.
            senior (bool, optional): Only analysts that are senior (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "analysts": records}}
        """
        found = [
            analyst
            for analyst in self.analysts.values()
            if (name is None or name.casefold() in analyst["name"].casefold())
            and (senior is None or analyst["senior"] == senior)
        ]
        return _found(
            {"total": len(found), "analysts": [self._show_analyst(analyst) for analyst in _page(found, offset)]}
        )

    def list_accounts(
        self,
        number: Text | None = None,
        owner_id: str | None = None,
        held_for_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accounts, oldest first, all of them or only some.

        Args:
            number (str, optional): Only accounts whose number contains this text.
            owner_id (str, optional): Only accounts whose owner is this customer.
            held_for_id (str, optional): Only accounts held for this case.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}}
        """
        if owner_id is not None and owner_id not in self.customers:
            return _refused(f"There is no customer {owner_id!r}.")
        if held_for_id is not None and held_for_id not in self.cases:
            return _refused(f"There is no case {held_for_id!r}.")
        found = [
            account
            for account in self.accounts.values()
            if (number is None or number.casefold() in account["number"].casefold())
            and (owner_id is None or account["owner_id"] == owner_id)
            and (held_for_id is None or account["held_for_id"] == held_for_id)
        ]
        shown = [{**account} for account in _page(found, offset)]
        return _found({"total": len(found), "accounts": shown}, self._names_of_accounts(shown))

    def list_payees(
        self,
        name: Text | None = None,
        flagged: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payees, oldest first, all of them or only some.

        Args:
            name (str, optional): Only payees whose name contains this text.
            flagged (bool, optional): Only payees that are flagged (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payees": records}}
        """
        found = [
            payee
            for payee in self.payees.values()
            if (name is None or name.casefold() in payee["name"].casefold())
            and (flagged is None or payee["flagged"] == flagged)
        ]
        return _found({"total": len(found), "payees": [{**payee} for payee in _page(found, offset)]})

    def list_trusts(
        self,
        account_id: str | None = None,
        payee_id: str | None = None,
        ended: bool | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trusts, oldest first, all of them or only some.

        Args:
            account_id (str, optional): Only trusts of this account.
            payee_id (str, optional): Only trusts of this payee.
            ended (bool, optional): Only trusts that are ended (true) or not (false).
            until_from (str, optional): Only trusts whose `until` is on this day or later.
            until_to (str, optional): Only trusts whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trusts": records}}
        """
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        if payee_id is not None and payee_id not in self.payees:
            return _refused(f"There is no payee {payee_id!r}.")
        found = [
            trust
            for trust in self.trusts.values()
            if (account_id is None or trust["account_id"] == account_id)
            and (payee_id is None or trust["payee_id"] == payee_id)
            and (ended is None or trust["ended"] == ended)
            and (until_from is None or trust["until"] >= until_from)
            and (until_to is None or trust["until"] <= until_to)
        ]
        shown = [{**trust} for trust in _page(found, offset)]
        return _found({"total": len(found), "trusts": shown}, self._names_of_trusts(shown))

    def list_payments(
        self,
        account_id: str | None = None,
        payee_id: str | None = None,
        status: Literal["held", "paid", "cancelled", "disputed"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            account_id (str, optional): Only payments of this account.
            payee_id (str, optional): Only payments of this payee.
            status (str, optional): Only payments with this status.
            made_on_from (str, optional): Only payments whose `made_on` is on this day or later.
            made_on_to (str, optional): Only payments whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        if payee_id is not None and payee_id not in self.payees:
            return _refused(f"There is no payee {payee_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (account_id is None or payment["account_id"] == account_id)
            and (payee_id is None or payment["payee_id"] == payee_id)
            and (status is None or payment["status"] == status)
            and (made_on_from is None or payment["made_on"] >= made_on_from)
            and (made_on_to is None or payment["made_on"] <= made_on_to)
        ]
        shown = [{**payment} for payment in _page(found, offset)]
        return _found({"total": len(found), "payments": shown}, self._names_of_payments(shown))

    def list_alerts(
        self,
        payment_id: str | None = None,
        file_id: str | None = None,
        dismissed_by_id: str | None = None,
        status: Literal["new", "joined", "dismissed"] | None = None,
        raised_at_from: Date | None = None,
        raised_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the alerts, oldest first, all of them or only some.

        Args:
            payment_id (str, optional): Only alerts of this payment.
            file_id (str, optional): Only alerts whose file is this case.
            dismissed_by_id (str, optional): Only alerts dismissed by this analyst.
            status (str, optional): Only alerts with this status.
            raised_at_from (str, optional): Only alerts whose `raised_at` is on this day or later.
            raised_at_to (str, optional): Only alerts whose `raised_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "alerts": records}}
        """
        if payment_id is not None and payment_id not in self.payments:
            return _refused(f"There is no payment {payment_id!r}.")
        if file_id is not None and file_id not in self.cases:
            return _refused(f"There is no case {file_id!r}.")
        if dismissed_by_id is not None and dismissed_by_id not in self.analysts:
            return _refused(f"There is no analyst {dismissed_by_id!r}.")
        found = [
            alert
            for alert in self.alerts.values()
            if (payment_id is None or alert["payment_id"] == payment_id)
            and (file_id is None or alert["file_id"] == file_id)
            and (dismissed_by_id is None or alert["dismissed_by_id"] == dismissed_by_id)
            and (status is None or alert["status"] == status)
            and (raised_at_from is None or alert["raised_at"][:10] >= raised_at_from)
            and (raised_at_to is None or alert["raised_at"][:10] <= raised_at_to)
        ]
        shown = [{**alert} for alert in _page(found, offset)]
        return _found({"total": len(found), "alerts": shown}, self._names_of_alerts(shown))

    def list_cases(
        self,
        customer_id: str | None = None,
        handler_id: str | None = None,
        status: Literal["open", "confirmed", "cleared", "closed"] | None = None,
        opened_on_from: Date | None = None,
        opened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cases, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only cases of this customer.
            handler_id (str, optional): Only cases whose handler is this analyst.
            status (str, optional): Only cases with this status.
            opened_on_from (str, optional): Only cases whose `opened_on` is on this day or later.
            opened_on_to (str, optional): Only cases whose `opened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cases": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if handler_id is not None and handler_id not in self.analysts:
            return _refused(f"There is no analyst {handler_id!r}.")
        found = [
            case
            for case in self.cases.values()
            if (customer_id is None or case["customer_id"] == customer_id)
            and (handler_id is None or case["handler_id"] == handler_id)
            and (status is None or case["status"] == status)
            and (opened_on_from is None or case["opened_on"] >= opened_on_from)
            and (opened_on_to is None or case["opened_on"] <= opened_on_to)
        ]
        shown = [self._show_case(case) for case in _page(found, offset)]
        return _found({"total": len(found), "cases": shown}, self._names_of_cases(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def make_payment(
        self,
        account_id: str,
        payee_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 2000000}],
    ) -> Result:
        """Make a payment; from 50 points on it is held and raises an alert, else it is paid at once.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            payee_id (str): Id of the payee, such as PAYEE-00001.
            amount (int): Sum that is paid, in cents, from 100 to 2000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        payee = self.payees.get(payee_id)
        if payee is None:
            return _refused(f"There is no payee {payee_id!r}.")
        if account["held_for_id"] is not None:
            return _refused(f"Account {account['number']} is held.")
        waiting = sum(p["amount"] for p in self._payments_by_account_status.get((account_id, "held"), {}).values())
        if amount + waiting > account["balance"]:
            return _refused(f"Account {account['number']} has {_money(account['balance'] - waiting)} to spend.")
        self._journal = []
        added_alerts: list[Any] = []
        changed_payments: list[Any] = []
        score = self._points(account, payee, amount, self.now[:10])
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "account_id": account_id,
            "payee_id": payee_id,
            "amount": amount,
            "made_on": self.now[:10],
            "status": "held",
        }
        self._add("payments", payment)
        if score >= 50:
            if not 0 <= score <= 150:
                return self._take_back("The points of an alert must be between 0 and 150.")
            alert = {
                "id": self._new_id("alert", "ALERT", self.alerts),
                "payment_id": payment["id"],
                "points": score,
                "raised_at": self.now,
                "file_id": None,
                "dismissed_by_id": None,
                "status": "new",
            }
            self._add("alerts", alert)
            added_alerts.append(alert)
        else:
            if payment["status"] not in ("held", "paid", "disputed"):
                return self._take_back(f"Payment {payment['id']} cannot go from {payment['status']} to paid.")
            changed_payments.append(payment)
            self._put("payments", payment, "status", "paid")
            balance = account["balance"] - amount
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {account['number']} must be between 0.00 and 900,000.00.")
            self._put("accounts", account, "balance", balance)
        for one_alert in _distinct(added_alerts):
            if self._breaks_rule_2(one_alert):
                return self._take_back(RULES[1])
        for one_case in _distinct([self.cases.get(one["file_id"]) for one in added_alerts]):
            if self._breaks_rule_5(one_case):
                return self._take_back(RULES[4])
        for one_case in _distinct(
            [
                *[self.cases.get(one["file_id"]) for one in added_alerts],
                *[
                    self.cases.get(one["file_id"])
                    for one in [
                        user
                        for one in changed_payments
                        for user in self._alerts_by_payment.get(one["id"], {}).values()
                    ]
                ],
            ]
        ):
            if self._breaks_rule_7(one_case):
                return self._take_back(RULES[6])
        for one_case in _distinct(
            [
                *[self.cases.get(one["file_id"]) for one in added_alerts],
                *[
                    self.cases.get(one["file_id"])
                    for one in [
                        user
                        for one in changed_payments
                        for user in self._alerts_by_payment.get(one["id"], {}).values()
                    ]
                ],
            ]
        ):
            if self._breaks_rule_8(one_case):
                return self._take_back(RULES[7])
        for one_alert in _distinct(added_alerts):
            if self._breaks_rule_9(one_alert):
                return self._take_back(RULES[8])
        for one_payment in _distinct(
            [payment, *[self.payments[one["payment_id"]] for one in added_alerts], *changed_payments]
        ):
            if self._breaks_rule_10(one_payment):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: pay {_money(amount)} from {account['number']} to {payee['name']} (new: payment "
                f"{payment['id']})."
            ),
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def report_payment(self, payment_id: str) -> Result:
        """Report a payment that was made as a fraud, which raises an alert of 100 points.

        Args:
            payment_id (str): Id of the payment, such as PAYMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        payment = self.payments.get(payment_id)
        if payment is None:
            return _refused(f"There is no payment {payment_id!r}.")
        if payment["status"] != "paid":
            return _refused(f"The payment is {payment['status']}.")
        if _plus_days(payment["made_on"], 120) < self.now[:10]:
            return _refused(f"The payment of {payment['made_on']} is more than 120 days old.")
        self._journal = []
        self._put("payments", payment, "status", "disputed")
        alert: Alert = {
            "id": self._new_id("alert", "ALERT", self.alerts),
            "payment_id": payment_id,
            "points": 100,
            "raised_at": self.now,
            "file_id": None,
            "dismissed_by_id": None,
            "status": "new",
        }
        self._add("alerts", alert)
        if self._breaks_rule_2(alert):
            return self._take_back(RULES[1])
        for one_case in _distinct([self.cases.get(alert["file_id"])]):
            if self._breaks_rule_5(one_case):
                return self._take_back(RULES[4])
        for one_case in _distinct(
            [
                self.cases.get(alert["file_id"]),
                *[self.cases.get(one["file_id"]) for one in self._alerts_by_payment.get(payment["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_case):
                return self._take_back(RULES[6])
        for one_case in _distinct(
            [
                self.cases.get(alert["file_id"]),
                *[self.cases.get(one["file_id"]) for one in self._alerts_by_payment.get(payment["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_case):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(alert):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(payment):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(self.payments[alert["payment_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: report {_money(payment['amount'])} from {self.accounts[payment['account_id']]['number']} "
                f"to {self.payees[payment['payee_id']]['name']} as a fraud (new: alert {alert['id']})."
            ),
            "data": {"alert_id": alert["id"], **self._changes()},
        }

    def dismiss_alert(self, alert_id: str, by_id: str) -> Result:
        """Dismiss an alert that is not joined to a case, within the limit of whoever does so; what was held is paid,
        what was disputed stands.

        Args:
            alert_id (str): Id of the alert, such as ALERT-00001.
            by_id (str): Analyst who dismisses the alert and whose limit covers the payment; an id such as
                ANALYST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        alert = self.alerts.get(alert_id)
        if alert is None:
            return _refused(f"There is no alert {alert_id!r}.")
        by = self.analysts.get(by_id)
        if by is None:
            return _refused(f"There is no analyst {by_id!r}.")
        if alert["status"] != "new":
            return _refused(f"The alert is {alert['status']}.")
        if self.accounts[self.payments[alert["payment_id"]]["account_id"]]["held_for_id"] is not None:
            return _refused(
                f"Account {self.accounts[self.payments[alert['payment_id']]['account_id']]['number']} is held."
            )
        if (
            self.payments[alert["payment_id"]]["status"] == "held"
            and self.payments[alert["payment_id"]]["amount"] > self.accounts[
                self.payments[alert["payment_id"]]["account_id"]
            ]["balance"]
        ):
            return _refused(
                f"Account {self.accounts[self.payments[alert['payment_id']]['account_id']]['number']} has only "
                f"{_money(self.accounts[self.payments[alert['payment_id']]['account_id']]['balance'])}."
            )
        if self.payments[alert["payment_id"]]["amount"] > by["limit"]:
            return _refused(
                f"{_money(self.payments[alert['payment_id']]['amount'])} is more than the limit of {by['name']}, "
                "so somebody else has to dismiss it."
            )
        self._journal = []
        self._put("alerts", alert, "dismissed_by_id", by_id)
        self._put("alerts", alert, "status", "dismissed")
        if self.payments[alert["payment_id"]]["status"] == "held":
            account = self.accounts[self.payments[alert["payment_id"]]["account_id"]]
            balance = (
                self.accounts[self.payments[alert["payment_id"]]["account_id"]]["balance"]
                - self.payments[alert["payment_id"]]["amount"]
            )
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {account['number']} must be between 0.00 and 900,000.00.")
            self._put("accounts", account, "balance", balance)
        payment = self.payments[alert["payment_id"]]
        if payment["status"] not in ("held", "paid", "disputed"):
            return self._take_back(f"Payment {payment['id']} cannot go from {payment['status']} to paid.")
        self._put("payments", payment, "status", "paid")
        if self._breaks_rule_2(alert):
            return self._take_back(RULES[1])
        for one_case in _distinct(
            [self.cases.get(one["file_id"]) for one in self._alerts_by_payment.get(payment["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_case):
                return self._take_back(RULES[6])
        for one_case in _distinct(
            [self.cases.get(one["file_id"]) for one in self._alerts_by_payment.get(payment["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_case):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(alert):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.payments[alert["payment_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(payment):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: dismiss the alert on {_money(self.payments[alert['payment_id']]['amount'])} to "
                f"{self.payees[self.payments[alert['payment_id']]['payee_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def investigate_alert(self, alert_id: str, handler_id: str) -> Result:
        """Take up an alert, in the open case of the customer or else in a new one.

        Args:
            alert_id (str): Id of the alert, such as ALERT-00001.
            handler_id (str): Analyst who takes the alert up, or who has the customer's open case; an id such as
                ANALYST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        alert = self.alerts.get(alert_id)
        if alert is None:
            return _refused(f"There is no alert {alert_id!r}.")
        handler = self.analysts.get(handler_id)
        if handler is None:
            return _refused(f"There is no analyst {handler_id!r}.")
        if alert["status"] != "new":
            return _refused(f"The alert is {alert['status']}.")
        file = self._case_of(
            self.customers[self.accounts[self.payments[alert["payment_id"]]["account_id"]]["owner_id"]]
        )
        if file is not None and file["handler_id"] != handler_id:
            return _refused(
                f"{self.analysts[file['handler_id']]['name']} handles the open case of "
                f"{self.customers[self.accounts[self.payments[alert['payment_id']]['account_id']]['owner_id']]['name']}."
            )
        if file is None and self._analyst_open_cases(handler) >= 4:
            return _refused(f"{handler['name']} has four open cases.")
        stake = (self._case_exposure(file) if file is not None else 0) + self.payments[alert["payment_id"]]["amount"]
        if stake > handler["limit"]:
            return _refused(
                f"{_money(stake)} is more than the limit of {handler['name']}, so hand the case over or name "
                "somebody else."
            )
        self._journal = []
        added_cases: list[Any] = []
        changed_alerts: list[Any] = []
        former_file_ids: list[Any] = []
        if file is None:
            fresh = {
                "id": self._new_id("case", "CASE", self.cases),
                "customer_id": self.accounts[self.payments[alert["payment_id"]]["account_id"]]["owner_id"],
                "handler_id": handler_id,
                "opened_on": self.now[:10],
                "recovered": 0,
                "written_off": 0,
                "status": "open",
            }
            self._add("cases", fresh)
            added_cases.append(fresh)
            changed_alerts.append(alert)
            former_file_ids.append(alert["file_id"])
            self._put("alerts", alert, "file_id", fresh["id"])
        else:
            changed_alerts.append(alert)
            former_file_ids.append(alert["file_id"])
            self._put("alerts", alert, "file_id", file["id"])
        self._put("alerts", alert, "status", "joined")
        for one_case in _distinct(added_cases):
            if self._breaks_rule_1(one_case):
                return self._take_back(RULES[0])
        for one_alert in _distinct([alert, *changed_alerts]):
            if self._breaks_rule_2(one_alert):
                return self._take_back(RULES[1])
        for one_case in _distinct(
            [
                *added_cases,
                *[self.cases.get(one["file_id"]) for one in changed_alerts],
                *[self.cases.get(key) for key in former_file_ids],
            ]
        ):
            if self._breaks_rule_5(one_case):
                return self._take_back(RULES[4])
        for one_analyst in _distinct([self.analysts[one["handler_id"]] for one in added_cases]):
            if self._breaks_rule_6(one_analyst):
                return self._take_back(RULES[5])
        for one_case in _distinct(
            [
                *added_cases,
                *[self.cases.get(one["file_id"]) for one in changed_alerts],
                *[self.cases.get(key) for key in former_file_ids],
            ]
        ):
            if self._breaks_rule_7(one_case):
                return self._take_back(RULES[6])
        for one_case in _distinct(
            [
                *added_cases,
                *[self.cases.get(one["file_id"]) for one in changed_alerts],
                *[self.cases.get(key) for key in former_file_ids],
            ]
        ):
            if self._breaks_rule_8(one_case):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(alert):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.payments[alert["payment_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: take up the alert on {_money(self.payments[alert['payment_id']]['amount'])} to "
                f"{self.payees[self.payments[alert['payment_id']]['payee_id']]['name']} with {handler['name']}."
            ),
            "data": self._changes(),
        }

    def hand_over_case(self, file_id: str, handler_id: str) -> Result:
        """Hand an open case over to another analyst.

        Args:
            file_id (str): Open case that changes hands; an id such as CASE-00001.
            handler_id (str): Analyst who takes the case over and whose limit covers it; an id such as
                ANALYST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        file = self.cases.get(file_id)
        if file is None:
            return _refused(f"There is no case {file_id!r}.")
        handler = self.analysts.get(handler_id)
        if handler is None:
            return _refused(f"There is no analyst {handler_id!r}.")
        if file["status"] != "open":
            return _refused(f"The case of {self.customers[file['customer_id']]['name']} is {file['status']}.")
        if handler_id == file["handler_id"]:
            return _refused(f"{handler['name']} handles it already.")
        if self._analyst_open_cases(handler) >= 4:
            return _refused(f"{handler['name']} has four open cases.")
        if self._case_exposure(file) > handler["limit"]:
            return _refused(f"{_money(self._case_exposure(file))} is more than the limit of {handler['name']}.")
        self._journal = []
        former_handler_id = file["handler_id"]
        self._put("cases", file, "handler_id", handler_id)
        if self._breaks_rule_5(file):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.analysts[file["handler_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.analysts[former_handler_id]):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: hand the case of {self.customers[file['customer_id']]['name']} over to {handler['name']}."
            ),
            "data": self._changes(),
        }

    def hold_account(self, account_id: str) -> Result:
        """Hold an account for the open case of its owner.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["held_for_id"] is not None:
            return _refused(f"Account {account['number']} is held already.")
        file = self._case_of(self.customers[account["owner_id"]])
        if file is None:
            return _refused(
                f"{self.customers[account['owner_id']]['name']} has no open case, so take up an alert first."
            )
        self._journal = []
        self._put("accounts", account, "held_for_id", file["id"])
        if self._breaks_rule_3(account):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: hold account {account['number']} of {self.customers[account['owner_id']]['name']}.",
            "data": self._changes(),
        }

    def release_account(self, account_id: str, one_id: str, other_id: str) -> Result:
        """Release a held account under four eyes, one pair of them a senior's.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            one_id (str): First analyst who signs, a senior unless the other one is; an id such as ANALYST-00001.
            other_id (str): Second analyst who signs, like the first not handling the open case; an id such as
                ANALYST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        one = self.analysts.get(one_id)
        if one is None:
            return _refused(f"There is no analyst {one_id!r}.")
        other = self.analysts.get(other_id)
        if other is None:
            return _refused(f"There is no analyst {other_id!r}.")
        if account["held_for_id"] is None:
            return _refused(f"Account {account['number']} is not held.")
        if one is other:
            return _refused("Two different analysts have to sign.")
        if not one["senior"] and not other["senior"]:
            return _refused("One of the two has to be a senior analyst.")
        if not (
            self.cases[account["held_for_id"]]["status"] != "open"
            or one_id != self.cases[account["held_for_id"]]["handler_id"]
            and other_id != self.cases[account["held_for_id"]]["handler_id"]
        ):
            return _refused(
                f"{self.analysts[self.cases[account['held_for_id']]['handler_id']]['name']} handles the case and "
                "cannot sign."
            )
        self._journal = []
        self._put("accounts", account, "held_for_id", None)
        if self._breaks_rule_3(account):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: release account {account['number']} of {self.customers[account['owner_id']]['name']} "
                f"signed by {one['name']} and {other['name']}."
            ),
            "data": self._changes(),
        }

    def decide_case(self, file_id: str, fraud: bool) -> Result:
        """Confirm an open case as a fraud, which cancels what is held and flags the payees, or clear it, which lets
        everything stand.

        Args:
            file_id (str): Open case that is decided; an id such as CASE-00001.
            fraud (bool): Whether it was a fraud rather than a false alarm.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        file = self.cases.get(file_id)
        if file is None:
            return _refused(f"There is no case {file_id!r}.")
        if file["status"] != "open":
            return _refused(f"The case of {self.customers[file['customer_id']]['name']} is {file['status']}.")
        if self._case_exposure(file) <= 0:
            return _refused("Nothing is at stake in the case.")
        held = next((a for a in sorted(self._accounts_by_held_for.get(file_id, {}).values(), key=_age)), None)
        if not (fraud or held is None):
            return _refused(f"Account {held['number']} is still held, so release it first.")
        poor = next(
            (
                a
                for a in sorted(self._accounts_by_owner.get(file["customer_id"], {}).values(), key=_age)
                if a["balance"] < sum(
                    p["amount"]
                    for p in self._payments_by_account_status.get((a["id"], "held"), {}).values()
                )
            ),
            None,
        )
        if not (fraud or poor is None):
            return _refused(f"Account {poor['number']} does not cover what is held.")
        self._journal = []
        changed_payees: list[Any] = []
        changed_trusts: list[Any] = []
        changed_payments: list[Any] = []
        changed_cases: list[Any] = []
        changed_alerts: list[Any] = []
        former_file_ids: list[Any] = []
        changed_alerts_2: list[Any] = []
        if fraud:
            for a in sorted(self._alerts_by_file.get(file_id, {}).values(), key=_age):
                payee = self.payees[self.payments[a["payment_id"]]["payee_id"]]
                changed_payees.append(payee)
                self._put("payees", payee, "flagged", True)
                for t in [
                    t
                    for t in sorted(
                        self._trusts_by_payee.get(self.payments[a["payment_id"]]["payee_id"], {}).values(),
                        key=_age,
                    )
                    if not t["ended"]
                ]:
                    changed_trusts.append(t)
                    self._put("trusts", t, "ended", True)
                if self.payments[a["payment_id"]]["status"] == "held":
                    payment = self.payments[a["payment_id"]]
                    if payment["status"] not in ("held", "cancelled"):
                        return self._take_back(
                            f"Payment {payment['id']} cannot go from {payment['status']} to cancelled."
                        )
                    changed_payments.append(payment)
                    self._put("payments", payment, "status", "cancelled")
            changed_cases.append(file)
            self._put("cases", file, "status", "confirmed")
        else:
            for a in sorted(self._alerts_by_file.get(file_id, {}).values(), key=_age):
                if self.payments[a["payment_id"]]["status"] == "held":
                    account = self.accounts[self.payments[a["payment_id"]]["account_id"]]
                    balance = (
                        self.accounts[self.payments[a["payment_id"]]["account_id"]]["balance"]
                        - self.payments[a["payment_id"]]["amount"]
                    )
                    if not 0 <= balance <= 90000000:
                        return self._take_back(
                            f"The balance of {account['number']} must be between 0.00 and 900,000.00."
                        )
                    self._put("accounts", account, "balance", balance)
                its_payment = self.payments[a["payment_id"]]
                if its_payment["status"] not in ("held", "paid", "disputed"):
                    return self._take_back(
                        f"Payment {its_payment['id']} cannot go from {its_payment['status']} to paid."
                    )
                changed_payments.append(its_payment)
                self._put("payments", its_payment, "status", "paid")
                changed_alerts.append(a)
                former_file_ids.append(a["file_id"])
                self._put("alerts", a, "file_id", None)
                changed_alerts_2.append(a)
                self._put("alerts", a, "status", "dismissed")
            if file["status"] not in ("open", "cleared"):
                return self._take_back(f"Case {file['id']} cannot go from {file['status']} to cleared.")
            changed_cases.append(file)
            self._put("cases", file, "status", "cleared")
        for one_case in _distinct(changed_cases):
            if self._breaks_rule_1(one_case):
                return self._take_back(RULES[0])
        for one_alert in _distinct([*changed_alerts, *changed_alerts_2]):
            if self._breaks_rule_2(one_alert):
                return self._take_back(RULES[1])
        for one_account in _distinct(
            [user for one in changed_cases for user in self._accounts_by_held_for.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_account):
                return self._take_back(RULES[2])
        for one_trust in _distinct(changed_trusts):
            if self._breaks_rule_4_t(one_trust):
                return self._take_back(RULES[3])
        for one_trust in _distinct(
            [
                *[user for one in changed_payees for user in self._trusts_by_payee.get(one["id"], {}).values()],
                *changed_trusts,
            ]
        ):
            if self._breaks_rule_4_t_again(one_trust):
                return self._take_back(RULES[3])
        for one_case in _distinct(
            [
                *changed_cases,
                *[self.cases.get(one["file_id"]) for one in changed_alerts],
                *[self.cases.get(key) for key in former_file_ids],
            ]
        ):
            if self._breaks_rule_5(one_case):
                return self._take_back(RULES[4])
        for one_analyst in _distinct([self.analysts[one["handler_id"]] for one in changed_cases]):
            if self._breaks_rule_6(one_analyst):
                return self._take_back(RULES[5])
        for one_case in _distinct(
            [
                *[
                    self.cases.get(one["file_id"])
                    for one in [
                        user
                        for one in changed_payments
                        for user in self._alerts_by_payment.get(one["id"], {}).values()
                    ]
                ],
                *[self.cases.get(one["file_id"]) for one in changed_alerts],
                *[self.cases.get(key) for key in former_file_ids],
            ]
        ):
            if self._breaks_rule_7(one_case):
                return self._take_back(RULES[6])
        for one_case in _distinct(
            [
                *[
                    self.cases.get(one["file_id"])
                    for one in [
                        user
                        for one in changed_payments
                        for user in self._alerts_by_payment.get(one["id"], {}).values()
                    ]
                ],
                *changed_cases,
                *[self.cases.get(one["file_id"]) for one in changed_alerts],
                *[self.cases.get(key) for key in former_file_ids],
            ]
        ):
            if self._breaks_rule_8(one_case):
                return self._take_back(RULES[7])
        for one_alert in _distinct(changed_alerts_2):
            if self._breaks_rule_9(one_alert):
                return self._take_back(RULES[8])
        for one_payment in _distinct(
            [*changed_payments, *[self.payments[one["payment_id"]] for one in changed_alerts_2]]
        ):
            if self._breaks_rule_10(one_payment):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: decide the case of {self.customers[file['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def record_recovery(
        self,
        file_id: str,
        account_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 2000000}],
    ) -> Result:
        """Record money won back in a confirmed case, which goes to one of the customer's accounts.

        Args:
            file_id (str): Confirmed case in which money was won back; an id such as CASE-00001.
            account_id (str): Id of the account, such as ACCOUNT-00001.
            amount (int): Sum that was won back, at most the open loss, in cents, from 1 to 2000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        file = self.cases.get(file_id)
        if file is None:
            return _refused(f"There is no case {file_id!r}.")
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if file["status"] != "confirmed":
            return _refused(f"The case of {self.customers[file['customer_id']]['name']} is {file['status']}.")
        if account["owner_id"] != file["customer_id"]:
            return _refused(f"Account {account['number']} is not {self.customers[file['customer_id']]['name']}'s.")
        if amount > self._open_loss(file):
            return _refused(f"Only {_money(self._open_loss(file))} of the loss is open.")
        self._journal = []
        self._put("cases", file, "recovered", file["recovered"] + amount)
        balance = account["balance"] + amount
        if not 0 <= balance <= 90000000:
            return self._take_back(f"The balance of {account['number']} must be between 0.00 and 900,000.00.")
        self._put("accounts", account, "balance", balance)
        if self._breaks_rule_7(file):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(file):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: record {_money(amount)} won back for {self.customers[file['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def close_case(self, file_id: str, by_id: str, refund_to_id: str | None = None) -> Result:
        """Close a confirmed case; the bank bears the rest of the loss, within the limit of whoever signs, and refunds
        it to an account of the customer where one is named.

        Args:
            file_id (str): Confirmed case that is closed; an id such as CASE-00001.
            by_id (str): Analyst who signs for the rest of the loss; an id such as ANALYST-00001.
            refund_to_id (str, optional): Account of the customer that the open loss is refunded to; an id such as
                ACCOUNT-00001. If left out, the customer gets no refund.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        file = self.cases.get(file_id)
        if file is None:
            return _refused(f"There is no case {file_id!r}.")
        by = self.analysts.get(by_id)
        if by is None:
            return _refused(f"There is no analyst {by_id!r}.")
        refund_to = self.accounts.get(refund_to_id) if refund_to_id is not None else None
        if refund_to_id is not None and refund_to is None:
            return _refused(f"There is no account {refund_to_id!r}.")
        if file["status"] != "confirmed":
            return _refused(f"The case of {self.customers[file['customer_id']]['name']} is {file['status']}.")
        if self._accounts_by_held_for.get(file_id, {}):
            return _refused("An account is still held for the case, so release it first.")
        if self._open_loss(file) > 20000 and not by["senior"]:
            return _refused("Only a senior analyst writes off more than 200.00.")
        if refund_to_id is not None and refund_to["owner_id"] != file["customer_id"]:
            return _refused(f"Account {refund_to['number']} is not {self.customers[file['customer_id']]['name']}'s.")
        if refund_to_id is not None and self._open_loss(file) <= 0:
            return _refused("Nothing of the loss is open, so there is nothing to refund.")
        self._journal = []
        if refund_to_id is not None:
            balance = refund_to["balance"] + self._open_loss(file)
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {refund_to['number']} must be between 0.00 and 900,000.00.")
            self._put("accounts", refund_to, "balance", balance)
        self._put("cases", file, "written_off", file["written_off"] + self._open_loss(file))
        self._put("cases", file, "status", "closed")
        if self._breaks_rule_1(file):
            return self._take_back(RULES[0])
        for one_account in _distinct(self._accounts_by_held_for.get(file["id"], {}).values()):
            if self._breaks_rule_3(one_account):
                return self._take_back(RULES[2])
        if self._breaks_rule_5(file):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.analysts[file["handler_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(file):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(file):
            return self._take_back(RULES[7])
        done = f"close the case of {self.customers[file['customer_id']]['name']} as {by['name']}"
        if refund_to is not None:
            done += f" and refund {refund_to['number']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def trust_payee(self, account_id: str, payee_id: str, until: Date) -> Result:
        """Let an account trust a payee until a day, or change that day.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            payee_id (str): Id of the payee, such as PAYEE-00001.
            until (str): Last day on which the payee is trusted, within 400 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        payee = self.payees.get(payee_id)
        if payee is None:
            return _refused(f"There is no payee {payee_id!r}.")
        if payee["flagged"]:
            return _refused(f"{payee['name']} is flagged.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 400):
            return _refused(f"A payee is trusted until {_plus_days(self.now[:10], 400)} at most.")
        old = next(
            (
                t
                for t in sorted(self._trusts_by_account_payee.get((account_id, payee_id), {}).values(), key=_age)
                if not t["ended"]
            ),
            None,
        )
        if old is not None and old["until"] == until:
            return _refused(f"{payee['name']} is trusted until {until} already.")
        self._journal = []
        added_trusts: list[Any] = []
        if old is not None:
            self._put("trusts", old, "until", until)
        else:
            trust = {
                "id": self._new_id("trust", "TRUST", self.trusts),
                "account_id": account_id,
                "payee_id": payee_id,
                "until": until,
                "ended": False,
            }
            self._add("trusts", trust)
            added_trusts.append(trust)
        for one_trust in _distinct(added_trusts):
            if self._breaks_rule_4_t(one_trust):
                return self._take_back(RULES[3])
        for one_trust in _distinct(added_trusts):
            if self._breaks_rule_4_t_again(one_trust):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: let {account['number']} trust {payee['name']} until {until}.",
            "data": self._changes(),
        }

    def _show_analyst(self, analyst: Analyst) -> dict[str, Any]:
        """The analyst as an answer shows it."""
        return {**analyst, "open_cases": self._analyst_open_cases(analyst)}

    def _show_case(self, case: Case) -> dict[str, Any]:
        """The case as an answer shows it."""
        return {**case, "exposure": self._case_exposure(case), "loss": self._case_loss(case)}

    def _names_of_accounts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that accounts point to."""
        return _names((self.customers, "name", [row["owner_id"] for row in shown]))

    def _names_of_trusts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trusts point to."""
        return _names(
            (self.accounts, "number", [row["account_id"] for row in shown]),
            (self.payees, "name", [row["payee_id"] for row in shown]),
        )

    def _names_of_payments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payments point to."""
        return _names(
            (self.accounts, "number", [row["account_id"] for row in shown]),
            (self.payees, "name", [row["payee_id"] for row in shown]),
        )

    def _names_of_alerts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that alerts point to."""
        return _names((self.analysts, "name", [row["dismissed_by_id"] for row in shown]))

    def _names_of_cases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cases point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.analysts, "name", [row["handler_id"] for row in shown]),
        )

    def _analyst_open_cases(self, analyst: Analyst) -> int:
        """The open cases of an analyst."""
        return len(self._cases_by_handler_status.get((analyst["id"], "open"), {}))

    def _case_exposure(self, case: Case) -> int:
        """The exposure of a case."""
        return sum(
            self.payments[a["payment_id"]]["amount"]
            for a in self._alerts_by_file.get(case["id"], {}).values()
        )

    def _case_loss(self, case: Case) -> int:
        """The loss of a case."""
        return sum(
            self.payments[a["payment_id"]]["amount"]
            for a in self._alerts_by_file.get(case["id"], {}).values()
            if self.payments[a["payment_id"]]["status"] == "disputed"
        )

    def _trusted(self, a: Account, p: Payee, d: str) -> bool:
        return any(
            t["until"] >= d
            for t in self._trusts_by_account_payee.get((a["id"], p["id"]), {}).values()
            if not t["ended"]
        )

    def _points(self, a: Account, p: Payee, amount: int, d: str) -> int:
        return (
            (60 if p["flagged"] else 0)
            + (30 if amount >= 300000 else 15 if amount >= 100000 else 0)
            + (0 if self._trusted(a, p, d) else 25)
            + (10 if self.customers[a["owner_id"]]["vulnerable"] else 0)
        )

    def _case_of(self, c: Customer) -> Case | None:
        return next(
            (f for f in sorted(self._cases_by_customer_status.get((c["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _open_loss(self, c: Case) -> int:
        return self._case_loss(c) - c["recovered"] - c["written_off"]

    def _alert_on(self, p: Payment) -> Alert | None:
        return next(
            (
                a
                for a in sorted(self._alerts_by_payment.get(p["id"], {}).values(), key=_age)
                if a["status"] != "dismissed"
            ),
            None,
        )

    def _breaks_rule_1(self, c: Case) -> bool:
        """Whether this is broken: a customer has one open case at a time."""
        return (
            c["status"] == "open"
            and any(
                other_c is not c
                for other_c in self._cases_by_customer_status.get((c["customer_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_2(self, a: Alert) -> bool:
        """Whether this is broken: an alert belongs to a case exactly as long as it is joined to it, and only to a
        case of the customer who paid.
        """
        return not (
            (a["file_id"] is not None) == (a["status"] == "joined")
            and (
                a["file_id"] is None
                or self.cases[a["file_id"]]["customer_id"] == self.accounts[
                    self.payments[a["payment_id"]]["account_id"]
                ]["owner_id"]
            )
        )

    def _breaks_rule_3(self, a: Account) -> bool:
        """Whether this is broken: an account is held only for a case of its owner that is open or confirmed."""
        return not (
            a["held_for_id"] is None
            or self.cases[a["held_for_id"]]["customer_id"] == a["owner_id"]
            and self.cases[a["held_for_id"]]["status"] in ("open", "confirmed")
        )

    def _breaks_rule_4_t(self, t: Trust) -> bool:
        """Whether this is broken: a payee is trusted once for an account, and never when flagged."""
        return (
            not t["ended"]
            and any(
                other_t is not t
                for other_t in self._trusts_by_account_payee.get((t["account_id"], t["payee_id"]), {}).values()
                if not other_t["ended"]
            )
        )

    def _breaks_rule_4_t_again(self, t: Trust) -> bool:
        """Whether this is broken: a payee is trusted once for an account, and never when flagged."""
        return not t["ended"] and self.payees[t["payee_id"]]["flagged"]

    def _breaks_rule_5(self, c: Case) -> bool:
        """Whether this is broken: what is at stake in an open case is within the limit of whoever handles it."""
        return c["status"] == "open" and self._case_exposure(c) > self.analysts[c["handler_id"]]["limit"]

    def _breaks_rule_6(self, a: Analyst) -> bool:
        """Whether this is broken: an analyst handles four open cases at most."""
        return self._analyst_open_cases(a) > 4

    def _breaks_rule_7(self, c: Case) -> bool:
        """Whether this is broken: no more is won back or written off than was lost."""
        return c["recovered"] + c["written_off"] > self._case_loss(c)

    def _breaks_rule_8(self, c: Case) -> bool:
        """Whether this is broken: a closed case leaves no loss open."""
        return c["status"] == "closed" and c["recovered"] + c["written_off"] != self._case_loss(c)

    def _breaks_rule_9(self, a: Alert) -> bool:
        """Whether this is broken: a payment has one alert under way at a time."""
        return (
            a["status"] != "dismissed"
            and any(
                other_a is not a
                for other_a in self._alerts_by_payment.get(a["payment_id"], {}).values()
                if other_a["status"] != "dismissed"
            )
        )

    def _breaks_rule_10(self, p: Payment) -> bool:
        """Whether this is broken: a payment that is held or disputed has an alert that was not dismissed."""
        return p["status"] in ("held", "disputed") and self._alert_on(p) is None

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
            case "accounts":
                self._accounts_by_held_for.setdefault(record["held_for_id"], {})[record["id"]] = record
                self._accounts_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
            case "trusts":
                self._trusts_by_account_payee.setdefault(
                    (record["account_id"], record["payee_id"]),
                    {},
                )[record["id"]] = record
                self._trusts_by_payee.setdefault(record["payee_id"], {})[record["id"]] = record
            case "payments":
                self._payments_by_account_status.setdefault(
                    (record["account_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "alerts":
                self._alerts_by_file.setdefault(record["file_id"], {})[record["id"]] = record
                self._alerts_by_payment.setdefault(record["payment_id"], {})[record["id"]] = record
                self._alerts_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "cases":
                self._cases_by_customer_status.setdefault(
                    (record["customer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._cases_by_handler_status.setdefault(
                    (record["handler_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "accounts":
                del self._accounts_by_held_for[record["held_for_id"]][record["id"]]
                del self._accounts_by_owner[record["owner_id"]][record["id"]]
            case "trusts":
                del self._trusts_by_account_payee[record["account_id"], record["payee_id"]][record["id"]]
                del self._trusts_by_payee[record["payee_id"]][record["id"]]
            case "payments":
                del self._payments_by_account_status[record["account_id"], record["status"]][record["id"]]
            case "alerts":
                del self._alerts_by_file[record["file_id"]][record["id"]]
                del self._alerts_by_payment[record["payment_id"]][record["id"]]
                del self._alerts_by_status[record["status"]][record["id"]]
            case "cases":
                del self._cases_by_customer_status[record["customer_id"], record["status"]][record["id"]]
                del self._cases_by_handler_status[record["handler_id"], record["status"]][record["id"]]
