"""Subscription billing. Compiled from blueprint.yaml; run `envscaler build subscription_billing` after changing it there.

Runs the subscriptions of a software company's customers, with seats, trials, proration, invoices, payments,
credits and dunning.
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
Email = Annotated[str, {"format": "email", "maxLength": 200}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A customer has at most one running subscription.",
    "A subscription never has more users than seats.",
    "A running subscription never has more seats than its plan allows.",
    "A user has at most one seat of a subscription.",
    "Nobody has a seat of a cancelled subscription.",
    "An invoice is paid exactly when its payments make up its amount, and never gets more.",
    "An invoice and its payments belong to the customer of the subscription.",
    "A void invoice has no payments.",
    "A customer never uses more credit than was granted.",
    "A subscription is suspended exactly while one of its open invoices has failed to be charged three times.",
    "A trial is never invoiced.",
    "A period of a subscription is invoiced once.",
    "An invoice knows when its last charge failed, if one did.",
    "Whoever is on trial has used up the one trial a customer gets.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_subscription",
    "change_subscription",
    "assign_seat",
    "release_seat",
    "renew_subscription",
    "cancel_subscription",
    "record_payment",
    "apply_credit",
    "record_failed_charge",
    "grant_credit",
    "void_invoice",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "plans": ("name",),
    "customers": ("name",),
    "subscriptions": (),
    "seats": ("email",),
    "invoices": (),
    "payments": (),
    "credits": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("credits", "customer_id"),
    ("invoices", "customer_id"),
    ("invoices", "reason"),
    ("invoices", "status"),
    ("invoices", "subscription_id"),
    ("payments", "customer_id"),
    ("payments", "invoice_id"),
    ("payments", "method"),
    ("seats", "subscription_id"),
    ("subscriptions", "customer_id"),
    ("subscriptions", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Plan(TypedDict):
    id: str
    name: str
    price: int
    months: int
    included_seats: int
    extra_seat: int
    max_seats: int
    trial_days: int
    retired: bool


class Customer(TypedDict):
    id: str
    name: str
    email: str
    had_trial: bool


class Subscription(TypedDict):
    id: str
    customer_id: str
    plan_id: str
    seats: int
    period_start: str
    period_days: int
    renews: bool
    status: Literal["trial", "active", "cancelled", "suspended"]


class Seat(TypedDict):
    id: str
    subscription_id: str
    email: str
    since: str


class Invoice(TypedDict):
    id: str
    customer_id: str
    subscription_id: str
    reason: Literal["period", "upgrade"]
    amount: int
    covers_from: str
    issued_on: str
    due_on: str
    failed_charges: int
    last_failed_on: str | None
    status: Literal["open", "paid", "void"]


class Payment(TypedDict):
    id: str
    customer_id: str
    invoice_id: str
    amount: int
    method: Literal["card", "bank_transfer", "direct_debit", "credit"]
    received_on: str


class Credit(TypedDict):
    id: str
    customer_id: str
    amount: int
    reason: Literal["downgrade", "cancellation", "goodwill", "outage"]
    granted_on: str


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


class SubscriptionBilling:
    """Runs the subscriptions of a software company's customers, with seats, trials, proration, invoices,
    payments, credits and dunning.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.subscriptions: dict[str, Subscription] = _copied(config.get("subscriptions", {}))
        self.seats: dict[str, Seat] = _copied(config.get("seats", {}))
        self.invoices: dict[str, Invoice] = _copied(config.get("invoices", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.credits: dict[str, Credit] = _copied(config.get("credits", {}))
        self.now: str = config.get("now", "2026-03-02T09:00")
        self.counters: dict[str, int] = {
            "plan": len(self.plans),
            "customer": len(self.customers),
            "subscription": len(self.subscriptions),
            "seat": len(self.seats),
            "invoice": len(self.invoices),
            "payment": len(self.payments),
            "credit": len(self.credits),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._subscriptions_by_customer: dict[Any, dict[str, Subscription]] = {}
        self._subscriptions_by_customer_status: dict[Any, dict[str, Subscription]] = {}
        self._seats_by_subscription: dict[Any, dict[str, Seat]] = {}
        self._invoices_by_customer: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_customer_status: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_subscription: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_subscription_reason: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_subscription_reason_status: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_subscription_status: dict[Any, dict[str, Invoice]] = {}
        self._payments_by_customer: dict[Any, dict[str, Payment]] = {}
        self._payments_by_customer_method: dict[Any, dict[str, Payment]] = {}
        self._payments_by_invoice: dict[Any, dict[str, Payment]] = {}
        self._credits_by_customer: dict[Any, dict[str, Credit]] = {}
        for subscription in self.subscriptions.values():
            self._link("subscriptions", subscription)
        for seat in self.seats.values():
            self._link("seats", seat)
        for invoice in self.invoices.values():
            self._link("invoices", invoice)
        for payment in self.payments.values():
            self._link("payments", payment)
        for credit in self.credits.values():
            self._link("credits", credit)

    def preview_change(
        self,
        subscription_id: str,
        plan_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 500}],
    ) -> Result:
        """What a subscription would cost with another plan or number of seats, a period and for the rest of this one.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            seats (int): Number of seats to try out, or the present one, from 1 to 500.

        Returns:
            dict: {"success": True, "data": {fee_now, fee_then, days_left, charged_or_credited_now}} or {"success":
                False, "error": why not}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if subscription["status"] not in ("trial", "active"):
            return _refused(
                f"The subscription of {self.customers[subscription['customer_id']]['name']} is "
                f"{subscription['status']}."
            )
        if plan["months"] != self.plans[subscription["plan_id"]]["months"] and subscription["status"] != "trial":
            return _refused(
                f"{plan['name']} bills every {plan['months']} months and "
                f"{self.plans[subscription['plan_id']]['name']} every "
                f"{self.plans[subscription['plan_id']]['months']}, so there is no change between them."
            )
        return _found(
            {
                "fee_now": self._subscription_period_fee(subscription),
                "fee_then": self._fee(plan, seats),
                "days_left": max(0, _days_between(self.now[:10], self._subscription_period_end(subscription))),
                "charged_or_credited_now": self._prorated(
                    subscription,
                    self._fee(plan, seats) - self._subscription_period_fee(subscription),
                    self.now[:10],
                ) if subscription["status"] == "active" and self.now[:10] < self._subscription_period_end(
                    subscription
                ) else 0,
            }
        )

    def account_summary(self, customer_id: str) -> Result:
        """What a customer has, owes and has left as credit.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.

        Returns:
            dict: {"success": True, "data": {subscription, seats_in_use, owed, credit_left, invoiced, received}} or
                {"success": False, "error": why not}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        return _found(
            {
                "subscription": _id_of(self._running(customer)),
                "seats_in_use": len(
                    [
                        x
                        for _subscription in self._subscriptions_by_customer.get(customer_id, {}).values()
                        for x in self._seats_by_subscription.get(_subscription["id"], {}).values()
                    ]
                ),
                "owed": self._customer_owed(customer),
                "credit_left": self._customer_credit_left(customer),
                "invoiced": sum(
                    i["amount"]
                    for i in self._invoices_by_customer.get(customer_id, {}).values()
                    if i["status"] != "void"
                ),
                "received": sum(
                    p["amount"]
                    for p in self._payments_by_customer.get(customer_id, {}).values()
                    if p["method"] != "credit"
                ),
            }
        )

    def overdue_invoices(
        self,
        failed_charges: Annotated[int, {"minimum": 0, "maximum": 3}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The open invoices past their due date, with the failed charges, the longest overdue first.

        Args:
            failed_charges (int, optional): Number of failed charges that an invoice has exactly, from 0 to 3. If
                left out, invoices with any number are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}} or {"success": False, "error": why
                not}
        """
        found = [
            i
            for i in self.invoices.values()
            if (i["status"] == "open" and i["due_on"] < self.now[:10])
            and (failed_charges is None or i["failed_charges"] == failed_charges)
        ]
        found.sort(key=lambda i: (i["due_on"], i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "invoices": [
                    {
                        "invoice_id": i["id"],
                        "customer": self.customers[i["customer_id"]]["name"],
                        "due": self._invoice_due(i),
                        "due_on": i["due_on"],
                        "days_overdue": _days_between(i["due_on"], self.now[:10]),
                        "failed_charges": i["failed_charges"],
                        "last_failed_on": i["last_failed_on"],
                        "subscription_status": self.subscriptions[i["subscription_id"]]["status"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def renewals_due(
        self,
        within: Annotated[int, {"minimum": 0, "maximum": 60}] = 3,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The running subscriptions whose period ends within so many days or has ended, the earliest first.

        Args:
            within (int): Days from today within which the period ends, from 0 to 60. Default: 3.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subscriptions": records}} or {"success": False,
                "error": why not}
        """
        found = [
            s
            for s in self.subscriptions.values()
            if (
                s["status"] in ("trial", "active")
                and self._subscription_period_end(s) <= _plus_days(self.now[:10], within)
            )
        ]
        found.sort(key=lambda s: (self._subscription_period_end(s), s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "subscriptions": [
                    {
                        "subscription_id": s["id"],
                        "customer": self.customers[s["customer_id"]]["name"],
                        "plan": self.plans[s["plan_id"]]["name"],
                        "status": s["status"],
                        "period_end": self._subscription_period_end(s),
                        "renews": s["renews"],
                        "period_fee": self._subscription_period_fee(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_plans(
        self,
        name: Text | None = None,
        retired: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only plans whose name contains this text.
            retired (bool, optional): Only plans that are retired (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        found = [
            plan
            for plan in self.plans.values()
            if (name is None or name.casefold() in plan["name"].casefold())
            and (retired is None or plan["retired"] == retired)
        ]
        return _found({"total": len(found), "plans": [{**plan} for plan in _page(found, offset)]})

    def list_customers(
        self,
        name: Text | None = None,
        had_trial: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            had_trial (bool, optional): Only customers with this value of `had_trial`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (had_trial is None or customer["had_trial"] == had_trial)
        ]
        return _found(
            {"total": len(found), "customers": [self._show_customer(customer) for customer in _page(found, offset)]}
        )

    def list_subscriptions(
        self,
        customer_id: str | None = None,
        plan_id: str | None = None,
        renews: bool | None = None,
        status: Literal["trial", "active", "cancelled", "suspended"] | None = None,
        period_start_from: Date | None = None,
        period_start_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the subscriptions, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only subscriptions of this customer.
            plan_id (str, optional): Only subscriptions of this plan.
            renews (bool, optional): Only subscriptions with this value of `renews`.
            status (str, optional): Only subscriptions with this status.
            period_start_from (str, optional): Only subscriptions whose `period_start` is on this day or later.
            period_start_to (str, optional): Only subscriptions whose `period_start` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subscriptions": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            subscription
            for subscription in self.subscriptions.values()
            if (customer_id is None or subscription["customer_id"] == customer_id)
            and (plan_id is None or subscription["plan_id"] == plan_id)
            and (renews is None or subscription["renews"] == renews)
            and (status is None or subscription["status"] == status)
            and (period_start_from is None or subscription["period_start"] >= period_start_from)
            and (period_start_to is None or subscription["period_start"] <= period_start_to)
        ]
        shown = [self._show_subscription(subscription) for subscription in _page(found, offset)]
        return _found({"total": len(found), "subscriptions": shown}, self._names_of_subscriptions(shown))

    def list_seats(
        self,
        email: Text | None = None,
        subscription_id: str | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the seats, oldest first, all of them or only some.

        Args:
            email (str, optional): Only seats whose email contains this text.
            subscription_id (str, optional): Only seats of this subscription.
            since_from (str, optional): Only seats whose `since` is on this day or later.
            since_to (str, optional): Only seats whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seats": records}}
        """
        if subscription_id is not None and subscription_id not in self.subscriptions:
            return _refused(f"There is no subscription {subscription_id!r}.")
        found = [
            seat
            for seat in self.seats.values()
            if (email is None or email.casefold() in seat["email"].casefold())
            and (subscription_id is None or seat["subscription_id"] == subscription_id)
            and (since_from is None or seat["since"] >= since_from)
            and (since_to is None or seat["since"] <= since_to)
        ]
        return _found({"total": len(found), "seats": [{**seat} for seat in _page(found, offset)]})

    def list_invoices(
        self,
        customer_id: str | None = None,
        subscription_id: str | None = None,
        reason: Literal["period", "upgrade"] | None = None,
        status: Literal["open", "paid", "void"] | None = None,
        covers_from_from: Date | None = None,
        covers_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invoices, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only invoices of this customer.
            subscription_id (str, optional): Only invoices of this subscription.
            reason (str, optional): Only invoices with this reason.
            status (str, optional): Only invoices with this status.
            covers_from_from (str, optional): Only invoices whose `covers_from` is on this day or later.
            covers_from_to (str, optional): Only invoices whose `covers_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if subscription_id is not None and subscription_id not in self.subscriptions:
            return _refused(f"There is no subscription {subscription_id!r}.")
        found = [
            invoice
            for invoice in self.invoices.values()
            if (customer_id is None or invoice["customer_id"] == customer_id)
            and (subscription_id is None or invoice["subscription_id"] == subscription_id)
            and (reason is None or invoice["reason"] == reason)
            and (status is None or invoice["status"] == status)
            and (covers_from_from is None or invoice["covers_from"] >= covers_from_from)
            and (covers_from_to is None or invoice["covers_from"] <= covers_from_to)
        ]
        shown = [self._show_invoice(invoice) for invoice in _page(found, offset)]
        return _found({"total": len(found), "invoices": shown}, self._names_of_invoices(shown))

    def list_payments(
        self,
        customer_id: str | None = None,
        invoice_id: str | None = None,
        method: Literal["card", "bank_transfer", "direct_debit", "credit"] | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only payments of this customer.
            invoice_id (str, optional): Only payments of this invoice.
            method (str, optional): Only payments with this method.
            received_on_from (str, optional): Only payments whose `received_on` is on this day or later.
            received_on_to (str, optional): Only payments whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if invoice_id is not None and invoice_id not in self.invoices:
            return _refused(f"There is no invoice {invoice_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (customer_id is None or payment["customer_id"] == customer_id)
            and (invoice_id is None or payment["invoice_id"] == invoice_id)
            and (method is None or payment["method"] == method)
            and (received_on_from is None or payment["received_on"] >= received_on_from)
            and (received_on_to is None or payment["received_on"] <= received_on_to)
        ]
        shown = [{**payment} for payment in _page(found, offset)]
        return _found({"total": len(found), "payments": shown}, self._names_of_payments(shown))

    def list_credits(
        self,
        customer_id: str | None = None,
        reason: Literal["downgrade", "cancellation", "goodwill", "outage"] | None = None,
        granted_on_from: Date | None = None,
        granted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the credits, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only credits of this customer.
            reason (str, optional): Only credits with this reason.
            granted_on_from (str, optional): Only credits whose `granted_on` is on this day or later.
            granted_on_to (str, optional): Only credits whose `granted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "credits": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            credit
            for credit in self.credits.values()
            if (customer_id is None or credit["customer_id"] == customer_id)
            and (reason is None or credit["reason"] == reason)
            and (granted_on_from is None or credit["granted_on"] >= granted_on_from)
            and (granted_on_to is None or credit["granted_on"] <= granted_on_to)
        ]
        shown = [{**credit} for credit in _page(found, offset)]
        return _found({"total": len(found), "credits": shown}, self._names_of_credits(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_subscription(
        self,
        customer_id: str,
        plan_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 500}],
        trial: bool = False,
    ) -> Result:
        """Start a subscription of a customer, on trial or with a first invoice that is due in 14 days.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            seats (int): Number of seats, at most what the plan allows, from 1 to 500.
            trial (bool): Whether it starts with a trial, which a customer gets once. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        current = self._running(customer)
        if current is not None:
            return _refused(
                f"{customer['name']} has a running subscription to {self.plans[current['plan_id']]['name']} already."
            )
        if plan["retired"]:
            return _refused(f"{plan['name']} is no longer sold.")
        if seats > plan["max_seats"]:
            return _refused(f"{plan['name']} allows at most {plan['max_seats']} seats, not {seats}.")
        if trial and plan["trial_days"] <= 0:
            return _refused(f"{plan['name']} has no trial.")
        if trial and customer["had_trial"]:
            return _refused(f"{customer['name']} had a trial before.")
        if self._customer_owed(customer) != 0:
            return _refused(f"{customer['name']} still owes {_money(self._customer_owed(customer))}.")
        self._journal = []
        added_subscriptions: list[Any] = []
        changed_customers: list[Any] = []
        added_invoices: list[Any] = []
        if trial:
            period_days = plan["trial_days"]
            if not 1 <= period_days <= 366:
                return self._take_back("The period days of a subscription must be between 1 and 366.")
            subscription = {
                "id": self._new_id("subscription", "SUBSCRIPTION", self.subscriptions),
                "customer_id": customer_id,
                "plan_id": plan_id,
                "seats": seats,
                "period_start": self.now[:10],
                "period_days": period_days,
                "renews": True,
                "status": "trial",
            }
            self._add("subscriptions", subscription)
            added_subscriptions.append(subscription)
            changed_customers.append(customer)
            self._put("customers", customer, "had_trial", True)
        else:
            new_period_days = _days_between(self.now[:10], _add_months(self.now[:10], plan["months"]))
            if not 1 <= new_period_days <= 366:
                return self._take_back("The period days of a subscription must be between 1 and 366.")
            made = {
                "id": self._new_id("subscription", "SUBSCRIPTION", self.subscriptions),
                "customer_id": customer_id,
                "plan_id": plan_id,
                "seats": seats,
                "period_start": self.now[:10],
                "period_days": new_period_days,
                "renews": True,
                "status": "active",
            }
            self._add("subscriptions", made)
            added_subscriptions.append(made)
            amount = self._fee(plan, seats)
            if not 1 <= amount <= 10000000:
                return self._take_back("The amount of an invoice must be between 0.01 and 100,000.00.")
            invoice = {
                "id": self._new_id("invoice", "INVOICE", self.invoices),
                "customer_id": customer_id,
                "subscription_id": made["id"],
                "reason": "period",
                "amount": amount,
                "covers_from": self.now[:10],
                "issued_on": self.now[:10],
                "due_on": _plus_days(self.now[:10], 14),
                "failed_charges": 0,
                "last_failed_on": None,
                "status": "open",
            }
            self._add("invoices", invoice)
            added_invoices.append(invoice)
        for one_subscription in _distinct(added_subscriptions):
            if self._breaks_rule_1(one_subscription):
                return self._take_back(RULES[0])
        for one_subscription in _distinct(added_subscriptions):
            if self._breaks_rule_2(one_subscription):
                return self._take_back(RULES[1])
        for one_subscription in _distinct(added_subscriptions):
            if self._breaks_rule_3(one_subscription):
                return self._take_back(RULES[2])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_6(one_invoice):
                return self._take_back(RULES[5])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_7_i(one_invoice):
                return self._take_back(RULES[6])
        for one_subscription in _distinct(
            [*added_subscriptions, *[self.subscriptions[one["subscription_id"]] for one in added_invoices]]
        ):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_12(one_invoice):
                return self._take_back(RULES[11])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_13(one_invoice):
                return self._take_back(RULES[12])
        for one_subscription in _distinct(
            [
                *added_subscriptions,
                *[
                    user
                    for one in changed_customers
                    for user in self._subscriptions_by_customer_status.get((one["id"], "trial"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_14(one_subscription):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: start a {'trial' if trial else 'paid'} subscription of {customer['name']} to "
                f"{plan['name']} with {seats} seats."
            ),
            "data": self._changes(),
        }

    def change_subscription(
        self,
        subscription_id: str,
        plan_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 500}],
    ) -> Result:
        """Change the plan or the number of seats at once; for the rest of the period more is invoiced and less is
        credited, except on trial.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            seats (int): Number of seats from now on, or the present one, from 1 to 500.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if subscription["status"] not in ("trial", "active"):
            return _refused(
                f"The subscription of {self.customers[subscription['customer_id']]['name']} is "
                f"{subscription['status']}."
            )
        if plan_id == subscription["plan_id"] and seats == subscription["seats"]:
            return _refused(
                f"{self.customers[subscription['customer_id']]['name']} has {plan['name']} with {seats} seats "
                "already."
            )
        if plan_id != subscription["plan_id"] and plan["retired"]:
            return _refused(f"{plan['name']} is no longer sold.")
        if plan["months"] != self.plans[subscription["plan_id"]]["months"] and subscription["status"] != "trial":
            return _refused(
                f"{plan['name']} bills every {plan['months']} months and "
                f"{self.plans[subscription['plan_id']]['name']} every "
                f"{self.plans[subscription['plan_id']]['months']}; cancel and start anew instead."
            )
        if self.now[:10] >= self._subscription_period_end(subscription):
            return _refused(
                f"The period ended on {self._subscription_period_end(subscription)}; renew the subscription first."
            )
        if seats > plan["max_seats"]:
            return _refused(f"{plan['name']} allows at most {plan['max_seats']} seats, not {seats}.")
        if self._subscription_used_seats(subscription) > seats:
            return _refused(f"{self._subscription_used_seats(subscription)} seats are in use, more than {seats}.")
        self._journal = []
        added_invoices: list[Any] = []
        added_credits: list[Any] = []
        difference = self._prorated(
            subscription,
            self._fee(plan, seats) - self._subscription_period_fee(subscription),
            self.now[:10],
        )
        if subscription["status"] == "active" and difference > 0:
            if not 1 <= difference <= 10000000:
                return self._take_back("The amount of an invoice must be between 0.01 and 100,000.00.")
            invoice = {
                "id": self._new_id("invoice", "INVOICE", self.invoices),
                "customer_id": subscription["customer_id"],
                "subscription_id": subscription_id,
                "reason": "upgrade",
                "amount": difference,
                "covers_from": self.now[:10],
                "issued_on": self.now[:10],
                "due_on": _plus_days(self.now[:10], 14),
                "failed_charges": 0,
                "last_failed_on": None,
                "status": "open",
            }
            self._add("invoices", invoice)
            added_invoices.append(invoice)
        if subscription["status"] == "active" and difference < 0:
            amount = -difference
            if not 1 <= amount <= 10000000:
                return self._take_back("The amount of a credit must be between 0.01 and 100,000.00.")
            credit = {
                "id": self._new_id("credit", "CREDIT", self.credits),
                "customer_id": subscription["customer_id"],
                "amount": amount,
                "reason": "downgrade",
                "granted_on": self.now[:10],
            }
            self._add("credits", credit)
            added_credits.append(credit)
        self._put("subscriptions", subscription, "plan_id", plan_id)
        self._put("subscriptions", subscription, "seats", seats)
        if self._breaks_rule_2(subscription):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(subscription):
            return self._take_back(RULES[2])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_6(one_invoice):
                return self._take_back(RULES[5])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_7_i(one_invoice):
                return self._take_back(RULES[6])
        for one_customer in _distinct([self.customers[one["customer_id"]] for one in added_credits]):
            if self._breaks_rule_9(one_customer):
                return self._take_back(RULES[8])
        for one_subscription in _distinct([self.subscriptions[one["subscription_id"]] for one in added_invoices]):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_12(one_invoice):
                return self._take_back(RULES[11])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_13(one_invoice):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: change the subscription of {self.customers[subscription['customer_id']]['name']} to "
                f"{plan['name']} with {seats} seats."
            ),
            "data": self._changes(),
        }

    def assign_seat(self, subscription_id: str, user: Email) -> Result:
        """Give a user a free seat of a subscription.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            user (str): Email address of the user who gets the seat.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if subscription["status"] not in ("trial", "active"):
            return _refused(
                f"The subscription of {self.customers[subscription['customer_id']]['name']} is "
                f"{subscription['status']}."
            )
        if any(
            x["email"].lower() == user.lower()
            for x in self._seats_by_subscription.get(subscription_id, {}).values()
        ):
            return _refused(f"{user} has a seat already.")
        if self._subscription_used_seats(subscription) >= subscription["seats"]:
            return _refused(
                f"All {subscription['seats']} seats of {self.customers[subscription['customer_id']]['name']} are "
                "in use."
            )
        self._journal = []
        seat: Seat = {
            "id": self._new_id("seat", "SEAT", self.seats),
            "subscription_id": subscription_id,
            "email": user,
            "since": self.now[:10],
        }
        self._add("seats", seat)
        if self._breaks_rule_2(self.subscriptions[seat["subscription_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(seat):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(seat):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: give {user} a seat of {self.customers[subscription['customer_id']]['name']} (new: seat "
                f"{seat['id']})."
            ),
            "data": {"seat_id": seat["id"], **self._changes()},
        }

    def release_seat(self, seat_id: str) -> Result:
        """Take a user off the seat of a subscription, so that it is free for somebody else.

        Args:
            seat_id (str): Id of the seat, such as SEAT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        seat = self.seats.get(seat_id)
        if seat is None:
            return _refused(f"There is no seat {seat_id!r}.")
        self._journal = []
        self._remove("seats", seat)
        if self._breaks_rule_2(self.subscriptions[seat["subscription_id"]]):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": (
                f"Done: take {seat['email']} off the seats of "
                f"{self.customers[self.subscriptions[seat['subscription_id']]['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def renew_subscription(self, subscription_id: str, notice_withdrawn: bool = False) -> Result:
        """Begin the next period of a subscription with an invoice, at most 3 days before the old one ends; a trial
        turns into a paid subscription. Whoever has given notice must have withdrawn it.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            notice_withdrawn (bool): Whether the customer has withdrawn a notice given before. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if subscription["status"] not in ("trial", "active"):
            return _refused(
                f"The subscription of {self.customers[subscription['customer_id']]['name']} is "
                f"{subscription['status']}."
            )
        if not (notice_withdrawn or subscription["renews"]):
            return _refused(
                f"{self.customers[subscription['customer_id']]['name']} has given notice to "
                f"{self._subscription_period_end(subscription)}; unless that is withdrawn, cancel the "
                "subscription then."
            )
        if notice_withdrawn and subscription["renews"]:
            return _refused(f"{self.customers[subscription['customer_id']]['name']} has not given notice.")
        if self.now[:10] < _plus_days(self._subscription_period_end(subscription), -3):
            return _refused(
                f"The period of {self.customers[subscription['customer_id']]['name']} runs until "
                f"{self._subscription_period_end(subscription)}."
            )
        previous = next(
            (
                i
                for i in sorted(
                    self._invoices_by_subscription_reason_status.get(
                        (subscription_id, "period", "open"),
                        {},
                    ).values(),
                    key=_age,
                )
                if i["failed_charges"] > 0
            ),
            None,
        )
        if previous is not None:
            return _refused(
                f"The invoice of {previous['issued_on']} over {_money(previous['amount'])} could not be charged; "
                "settle it first."
            )
        self._journal = []
        begins = self._subscription_period_end(subscription)
        self._put("subscriptions", subscription, "renews", True)
        self._put("subscriptions", subscription, "period_start", begins)
        period_days = _days_between(begins, _add_months(begins, self.plans[subscription["plan_id"]]["months"]))
        if not 1 <= period_days <= 366:
            return self._take_back(f"The period days of {subscription['id']} must be between 1 and 366.")
        self._put("subscriptions", subscription, "period_days", period_days)
        self._put("subscriptions", subscription, "status", "active")
        amount = self._subscription_period_fee(subscription)
        if not 1 <= amount <= 10000000:
            return self._take_back("The amount of an invoice must be between 0.01 and 100,000.00.")
        invoice: Invoice = {
            "id": self._new_id("invoice", "INVOICE", self.invoices),
            "customer_id": subscription["customer_id"],
            "subscription_id": subscription_id,
            "reason": "period",
            "amount": amount,
            "covers_from": begins,
            "issued_on": self.now[:10],
            "due_on": _plus_days(begins, 14),
            "failed_charges": 0,
            "last_failed_on": None,
            "status": "open",
        }
        self._add("invoices", invoice)
        if self._breaks_rule_1(subscription):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(subscription):
            return self._take_back(RULES[2])
        for one_seat in _distinct(self._seats_by_subscription.get(subscription["id"], {}).values()):
            if self._breaks_rule_5(one_seat):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(invoice):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_i(invoice):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(subscription):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(self.subscriptions[invoice["subscription_id"]]):
            return self._take_back(RULES[9])
        for one_invoice in _distinct([invoice, *self._invoices_by_subscription.get(subscription["id"], {}).values()]):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(invoice):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(invoice):
            return self._take_back(RULES[12])
        if self._breaks_rule_14(subscription):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: renew the subscription of {self.customers[subscription['customer_id']]['name']} (new: "
                f"invoice {invoice['id']})."
            ),
            "data": {"invoice_id": invoice["id"], **self._changes()},
        }

    def cancel_subscription(
        self,
        subscription_id: str,
        credit_unused: bool = False,
        at_period_end: bool = False,
    ) -> Result:
        """Cancel a subscription at once and release its seats, so that what is unused of a fully paid period can be
        credited, or note the notice to the end of the period.

        Args:
            subscription_id (str): Id of the subscription, such as SUBSCRIPTION-00001.
            credit_unused (bool): Whether the rest of the paid period is credited, only when cancelling at once.
                Default: false.
            at_period_end (bool): Whether only the notice to the end of the period is noted. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subscription = self.subscriptions.get(subscription_id)
        if subscription is None:
            return _refused(f"There is no subscription {subscription_id!r}.")
        if subscription["status"] == "cancelled":
            return _refused(
                f"The subscription of {self.customers[subscription['customer_id']]['name']} is cancelled already."
            )
        if credit_unused and subscription["status"] != "active":
            return _refused(
                f"The subscription of {self.customers[subscription['customer_id']]['name']} is "
                f"{subscription['status']}, so there is nothing to credit."
            )
        if credit_unused and self.now[:10] >= self._subscription_period_end(subscription):
            return _refused(
                f"The period ended on {self._subscription_period_end(subscription)}, so nothing of it is unused."
            )
        unpaid = next(
            (
                i
                for i in sorted(
                    self._invoices_by_subscription_status.get((subscription_id, "open"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if credit_unused and unpaid is not None:
            return _refused(
                f"{_money(self._invoice_due(unpaid))} of the invoice of {unpaid['issued_on']} is not paid yet, so "
                "nothing can be credited."
            )
        if not (not credit_unused or self._period_paid(subscription)):
            return _refused(
                f"The period since {subscription['period_start']} was never paid, so nothing can be credited."
            )
        if at_period_end and credit_unused:
            return _refused("At the end of the period nothing is unused.")
        if at_period_end and self.now[:10] >= self._subscription_period_end(subscription):
            return _refused(
                f"The period ended on {self._subscription_period_end(subscription)}, so cancel it at once."
            )
        if at_period_end and not subscription["renews"]:
            return _refused(
                f"{self.customers[subscription['customer_id']]['name']} has given notice to "
                f"{self._subscription_period_end(subscription)} already."
            )
        self._journal = []
        added_credits: list[Any] = []
        deleted_seats: list[Any] = []
        changed_subscriptions: list[Any] = []
        if at_period_end:
            self._put("subscriptions", subscription, "renews", False)
        else:
            if credit_unused:
                amount = self._prorated(subscription, self._subscription_period_fee(subscription), self.now[:10])
                if not 1 <= amount <= 10000000:
                    return self._take_back("The amount of a credit must be between 0.01 and 100,000.00.")
                credit = {
                    "id": self._new_id("credit", "CREDIT", self.credits),
                    "customer_id": subscription["customer_id"],
                    "amount": amount,
                    "reason": "cancellation",
                    "granted_on": self.now[:10],
                }
                self._add("credits", credit)
                added_credits.append(credit)
            for x in sorted(self._seats_by_subscription.get(subscription_id, {}).values(), key=_age):
                if x["id"] in self.seats:
                    self._remove("seats", x)
                deleted_seats.append(x)
            changed_subscriptions.append(subscription)
            self._put("subscriptions", subscription, "status", "cancelled")
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_1(one_subscription):
                return self._take_back(RULES[0])
        for one_subscription in _distinct([self.subscriptions[one["subscription_id"]] for one in deleted_seats]):
            if self._breaks_rule_2(one_subscription):
                return self._take_back(RULES[1])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_3(one_subscription):
                return self._take_back(RULES[2])
        for one_seat in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._seats_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if one_seat["id"] in self.seats and self._breaks_rule_5(one_seat):
                return self._take_back(RULES[4])
        for one_customer in _distinct([self.customers[one["customer_id"]] for one in added_credits]):
            if self._breaks_rule_9(one_customer):
                return self._take_back(RULES[8])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._invoices_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_14(one_subscription):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: cancel the subscription of {self.customers[subscription['customer_id']]['name']} "
                f"{'to the end of the period' if at_period_end else 'and credit what is unused' if credit_unused else 'without a credit'}."
            ),
            "data": self._changes(),
        }

    def record_payment(
        self,
        invoice_id: str,
        method: Literal["card", "bank_transfer", "direct_debit"],
        amount: Annotated[int, {"minimum": 1, "maximum": 10000000}] | None = None,
    ) -> Result:
        """Record money received for an open invoice, all that is due unless an amount is named; when nothing suspends
        the subscription any more it becomes active again.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.
            method (str): How the money came in: card, bank_transfer or direct_debit.
            amount (int, optional): Sum received, at most what is due, in cents, from 1 to 10000000. If left out,
                all that is due is received.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "open":
            return _refused(f"The invoice is {invoice['status']}.")
        received = amount if amount is not None else self._invoice_due(invoice)
        if received > self._invoice_due(invoice):
            return _refused(f"Only {_money(self._invoice_due(invoice))} of the invoice is due.")
        self._journal = []
        changed_invoices: list[Any] = []
        changed_subscriptions: list[Any] = []
        if not 1 <= received <= 10000000:
            return self._take_back("The amount of a payment must be between 0.01 and 100,000.00.")
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "customer_id": invoice["customer_id"],
            "invoice_id": invoice_id,
            "amount": received,
            "method": method,
            "received_on": self.now[:10],
        }
        self._add("payments", payment)
        if self._invoice_paid(invoice) == invoice["amount"]:
            changed_invoices.append(invoice)
            self._put("invoices", invoice, "status", "paid")
        if (
            self.subscriptions[invoice["subscription_id"]]["status"] == "suspended"
            and not self._out_of_grace(self.subscriptions[invoice["subscription_id"]])
        ):
            subscription = self.subscriptions[invoice["subscription_id"]]
            if subscription["status"] not in ("trial", "active", "suspended"):
                return self._take_back(
                    f"Subscription {subscription['id']} cannot go from {subscription['status']} to active."
                )
            changed_subscriptions.append(subscription)
            self._put("subscriptions", subscription, "status", "active")
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_1(one_subscription):
                return self._take_back(RULES[0])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_3(one_subscription):
                return self._take_back(RULES[2])
        for one_seat in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._seats_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_seat):
                return self._take_back(RULES[4])
        for one_invoice in _distinct([self.invoices[payment["invoice_id"]], *changed_invoices]):
            if self._breaks_rule_6(one_invoice):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_p(payment):
            return self._take_back(RULES[6])
        for one_payment in _distinct(
            [
                payment,
                *[user for one in changed_invoices for user in self._payments_by_invoice.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_payment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[payment["customer_id"]]):
            return self._take_back(RULES[8])
        for one_subscription in _distinct(
            [*[self.subscriptions[one["subscription_id"]] for one in changed_invoices], *changed_subscriptions]
        ):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._invoices_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_12(one_invoice):
                return self._take_back(RULES[11])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_14(one_subscription):
                return self._take_back(RULES[13])
        done = f"record a payment by {method} for the invoice {invoice['id']} of {self.customers[invoice['customer_id']]['name']}"
        if amount is not None:
            done += f", {_money(amount)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def apply_credit(
        self,
        invoice_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 10000000}] | None = None,
    ) -> Result:
        """Use credit of a customer for one of their open invoices, as much as there is and is due unless an amount is
        named.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.
            amount (int, optional): Credit to use, at most what is due, in cents, from 1 to 10000000. If left out,
                as much is used as there is and is due.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "open":
            return _refused(f"The invoice is {invoice['status']}.")
        customer = self.customers[invoice["customer_id"]]
        if self._customer_credit_left(customer) <= 0:
            return _refused(f"{customer['name']} has no credit left.")
        used = amount if amount is not None else min(self._invoice_due(invoice), self._customer_credit_left(customer))
        if used > self._invoice_due(invoice):
            return _refused(f"Only {_money(self._invoice_due(invoice))} of the invoice is due.")
        if used > self._customer_credit_left(customer):
            return _refused(f"{customer['name']} has {_money(self._customer_credit_left(customer))} of credit left.")
        self._journal = []
        changed_invoices: list[Any] = []
        changed_subscriptions: list[Any] = []
        if not 1 <= used <= 10000000:
            return self._take_back("The amount of a payment must be between 0.01 and 100,000.00.")
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "customer_id": invoice["customer_id"],
            "invoice_id": invoice_id,
            "amount": used,
            "method": "credit",
            "received_on": self.now[:10],
        }
        self._add("payments", payment)
        if self._invoice_paid(invoice) == invoice["amount"]:
            changed_invoices.append(invoice)
            self._put("invoices", invoice, "status", "paid")
        if (
            self.subscriptions[invoice["subscription_id"]]["status"] == "suspended"
            and not self._out_of_grace(self.subscriptions[invoice["subscription_id"]])
        ):
            subscription = self.subscriptions[invoice["subscription_id"]]
            if subscription["status"] not in ("trial", "active", "suspended"):
                return self._take_back(
                    f"Subscription {subscription['id']} cannot go from {subscription['status']} to active."
                )
            changed_subscriptions.append(subscription)
            self._put("subscriptions", subscription, "status", "active")
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_1(one_subscription):
                return self._take_back(RULES[0])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_3(one_subscription):
                return self._take_back(RULES[2])
        for one_seat in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._seats_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_seat):
                return self._take_back(RULES[4])
        for one_invoice in _distinct([self.invoices[payment["invoice_id"]], *changed_invoices]):
            if self._breaks_rule_6(one_invoice):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_p(payment):
            return self._take_back(RULES[6])
        for one_payment in _distinct(
            [
                payment,
                *[user for one in changed_invoices for user in self._payments_by_invoice.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_payment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.customers[payment["customer_id"]]):
            return self._take_back(RULES[8])
        for one_subscription in _distinct(
            [*[self.subscriptions[one["subscription_id"]] for one in changed_invoices], *changed_subscriptions]
        ):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._invoices_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_12(one_invoice):
                return self._take_back(RULES[11])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_14(one_subscription):
                return self._take_back(RULES[13])
        done = f"use credit for the invoice {invoice['id']} of {self.customers[invoice['customer_id']]['name']}"
        if amount is not None:
            done += f", {_money(amount)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def record_failed_charge(self, invoice_id: str) -> Result:
        """Record that an open invoice that is due could not be charged; the third time suspends the subscription.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "open":
            return _refused(f"The invoice is {invoice['status']}.")
        if self.now[:10] < invoice["due_on"]:
            return _refused(f"The invoice is due on {invoice['due_on']}.")
        if invoice["failed_charges"] >= 3:
            return _refused("The invoice failed to be charged three times already.")
        if invoice["last_failed_on"] is not None and _days_between(invoice["last_failed_on"], self.now[:10]) < 3:
            return _refused(
                f"The last charge failed on {invoice['last_failed_on']}; the next is tried three days later."
            )
        self._journal = []
        changed_subscriptions: list[Any] = []
        failed_charges = invoice["failed_charges"] + 1
        if not 0 <= failed_charges <= 3:
            return self._take_back(f"The failed charges of {invoice['id']} must be between 0 and 3.")
        self._put("invoices", invoice, "failed_charges", failed_charges)
        self._put("invoices", invoice, "last_failed_on", self.now[:10])
        if invoice["failed_charges"] >= 3 and self.subscriptions[invoice["subscription_id"]]["status"] == "active":
            subscription = self.subscriptions[invoice["subscription_id"]]
            if subscription["status"] not in ("active", "suspended"):
                return self._take_back(
                    f"Subscription {subscription['id']} cannot go from {subscription['status']} to suspended."
                )
            changed_subscriptions.append(subscription)
            self._put("subscriptions", subscription, "status", "suspended")
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_1(one_subscription):
                return self._take_back(RULES[0])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_3(one_subscription):
                return self._take_back(RULES[2])
        for one_seat in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._seats_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_seat):
                return self._take_back(RULES[4])
        for one_subscription in _distinct([self.subscriptions[invoice["subscription_id"]], *changed_subscriptions]):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._invoices_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        if self._breaks_rule_13(invoice):
            return self._take_back(RULES[12])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_14(one_subscription):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: record a failed charge of the invoice {invoice['id']} of "
                f"{self.customers[invoice['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def grant_credit(
        self,
        customer_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 100000}],
        reason: Literal["goodwill", "outage"],
    ) -> Result:
        """Grant a customer credit for an outage or out of goodwill.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            amount (int): Sum of the credit, in cents, from 100 to 100000.
            reason (str): Why the customer gets it: goodwill or outage.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if self._customer_credit_left(customer) + amount > 200000:
            return _refused(
                f"{customer['name']} has {_money(self._customer_credit_left(customer))} of credit, and with "
                f"{_money(amount)} more it would be over 2,000.00."
            )
        self._journal = []
        credit: Credit = {
            "id": self._new_id("credit", "CREDIT", self.credits),
            "customer_id": customer_id,
            "amount": amount,
            "reason": reason,
            "granted_on": self.now[:10],
        }
        self._add("credits", credit)
        if self._breaks_rule_9(self.customers[credit["customer_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: grant {customer['name']} {_money(amount)} of credit for {reason} (new: credit "
                f"{credit['id']})."
            ),
            "data": {"credit_id": credit["id"], **self._changes()},
        }

    def void_invoice(self, invoice_id: str) -> Result:
        """Void an open invoice on which nothing was paid.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "open":
            return _refused(f"The invoice is {invoice['status']}.")
        if self._invoice_paid(invoice) != 0:
            return _refused(f"{_money(self._invoice_paid(invoice))} was paid on the invoice.")
        self._journal = []
        changed_subscriptions: list[Any] = []
        self._put("invoices", invoice, "status", "void")
        if (
            self.subscriptions[invoice["subscription_id"]]["status"] == "suspended"
            and not self._out_of_grace(self.subscriptions[invoice["subscription_id"]])
        ):
            subscription = self.subscriptions[invoice["subscription_id"]]
            if subscription["status"] not in ("trial", "active", "suspended"):
                return self._take_back(
                    f"Subscription {subscription['id']} cannot go from {subscription['status']} to active."
                )
            changed_subscriptions.append(subscription)
            self._put("subscriptions", subscription, "status", "active")
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_1(one_subscription):
                return self._take_back(RULES[0])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_3(one_subscription):
                return self._take_back(RULES[2])
        for one_seat in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._seats_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_seat):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(invoice):
            return self._take_back(RULES[5])
        for one_payment in _distinct(self._payments_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_8(one_payment):
                return self._take_back(RULES[7])
        for one_subscription in _distinct([self.subscriptions[invoice["subscription_id"]], *changed_subscriptions]):
            if self._breaks_rule_10(one_subscription):
                return self._take_back(RULES[9])
        for one_invoice in _distinct(
            [
                user
                for one in changed_subscriptions
                for user in self._invoices_by_subscription.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(invoice):
            return self._take_back(RULES[11])
        for one_subscription in _distinct(changed_subscriptions):
            if self._breaks_rule_14(one_subscription):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: void the invoice {invoice['id']} of {self.customers[invoice['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_customer(self, customer: Customer) -> dict[str, Any]:
        """The customer as an answer shows it."""
        return {
            **customer,
            "credit_left": self._customer_credit_left(customer),
            "owed": self._customer_owed(customer),
        }

    def _show_subscription(self, subscription: Subscription) -> dict[str, Any]:
        """The subscription as an answer shows it."""
        return {
            **subscription,
            "period_end": self._subscription_period_end(subscription),
            "used_seats": self._subscription_used_seats(subscription),
            "period_fee": self._subscription_period_fee(subscription),
        }

    def _show_invoice(self, invoice: Invoice) -> dict[str, Any]:
        """The invoice as an answer shows it."""
        return {**invoice, "paid": self._invoice_paid(invoice), "due": self._invoice_due(invoice)}

    def _names_of_subscriptions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that subscriptions point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.plans, "name", [row["plan_id"] for row in shown]),
        )

    def _names_of_invoices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invoices point to."""
        return _names((self.customers, "name", [row["customer_id"] for row in shown]))

    def _names_of_payments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payments point to."""
        return _names((self.customers, "name", [row["customer_id"] for row in shown]))

    def _names_of_credits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that credits point to."""
        return _names((self.customers, "name", [row["customer_id"] for row in shown]))

    def _customer_credit_left(self, customer: Customer) -> int:
        """The credit left of a customer."""
        return (
            sum(c["amount"] for c in self._credits_by_customer.get(customer["id"], {}).values())
            - sum(p["amount"] for p in self._payments_by_customer_method.get((customer["id"], "credit"), {}).values())
        )

    def _customer_owed(self, customer: Customer) -> int:
        """The owed of a customer."""
        return sum(
            self._invoice_due(i)
            for i in self._invoices_by_customer_status.get((customer["id"], "open"), {}).values()
        )

    def _subscription_period_end(self, subscription: Subscription) -> str:
        """The period end of a subscription."""
        return _plus_days(subscription["period_start"], subscription["period_days"])

    def _subscription_used_seats(self, subscription: Subscription) -> int:
        """The used seats of a subscription."""
        return len(self._seats_by_subscription.get(subscription["id"], {}))

    def _subscription_period_fee(self, subscription: Subscription) -> int:
        """The period fee of a subscription."""
        return (
            self.plans[subscription["plan_id"]]["price"]
            + self.plans[subscription["plan_id"]]["extra_seat"] * max(
                0,
                subscription["seats"] - self.plans[subscription["plan_id"]]["included_seats"],
            )
        )

    def _invoice_paid(self, invoice: Invoice) -> int:
        """The paid of an invoice."""
        return sum(p["amount"] for p in self._payments_by_invoice.get(invoice["id"], {}).values())

    def _invoice_due(self, invoice: Invoice) -> int:
        """The due of an invoice."""
        return invoice["amount"] - self._invoice_paid(invoice) if invoice["status"] == "open" else 0

    def _fee(self, p: Plan, seats: int) -> int:
        return p["price"] + p["extra_seat"] * max(0, seats - p["included_seats"])

    def _running(self, c: Customer) -> Subscription | None:
        return next(
            (
                s
                for s in sorted(self._subscriptions_by_customer.get(c["id"], {}).values(), key=_age)
                if s["status"] != "cancelled"
            ),
            None,
        )

    def _prorated(self, s: Subscription, amount: int, d: str) -> int:
        return _rounded(Fraction(amount * _days_between(d, self._subscription_period_end(s)), s["period_days"]))

    def _period_paid(self, s: Subscription) -> bool:
        return any(
            i["covers_from"] == s["period_start"]
            for i in self._invoices_by_subscription_reason_status.get((s["id"], "period", "paid"), {}).values()
        )

    def _out_of_grace(self, s: Subscription) -> bool:
        return any(
            i["failed_charges"] >= 3
            for i in self._invoices_by_subscription_status.get((s["id"], "open"), {}).values()
        )

    def _breaks_rule_1(self, s: Subscription) -> bool:
        """Whether this is broken: a customer has at most one running subscription."""
        return (
            s["status"] != "cancelled"
            and any(
                other_s is not s
                for other_s in self._subscriptions_by_customer.get(s["customer_id"], {}).values()
                if other_s["status"] != "cancelled"
            )
        )

    def _breaks_rule_2(self, s: Subscription) -> bool:
        """Whether this is broken: a subscription never has more users than seats."""
        return self._subscription_used_seats(s) > s["seats"]

    def _breaks_rule_3(self, s: Subscription) -> bool:
        """Whether this is broken: a running subscription never has more seats than its plan allows."""
        return s["status"] != "cancelled" and s["seats"] > self.plans[s["plan_id"]]["max_seats"]

    def _breaks_rule_4(self, x: Seat) -> bool:
        """Whether this is broken: a user has at most one seat of a subscription."""
        return any(
            other_x is not x
            for other_x in self._seats_by_subscription.get(x["subscription_id"], {}).values()
            if other_x["email"].lower() == x["email"].lower()
        )

    def _breaks_rule_5(self, x: Seat) -> bool:
        """Whether this is broken: nobody has a seat of a cancelled subscription."""
        return self.subscriptions[x["subscription_id"]]["status"] == "cancelled"

    def _breaks_rule_6(self, i: Invoice) -> bool:
        """Whether this is broken: an invoice is paid exactly when its payments make up its amount, and never gets
        more.
        """
        return (
            self._invoice_paid(i) > i["amount"]
            or (self._invoice_paid(i) == i["amount"]) != (i["status"] == "paid")
        )

    def _breaks_rule_7_i(self, i: Invoice) -> bool:
        """Whether this is broken: an invoice and its payments belong to the customer of the subscription."""
        return i["customer_id"] != self.subscriptions[i["subscription_id"]]["customer_id"]

    def _breaks_rule_7_p(self, p: Payment) -> bool:
        """Whether this is broken: an invoice and its payments belong to the customer of the subscription."""
        return p["customer_id"] != self.invoices[p["invoice_id"]]["customer_id"]

    def _breaks_rule_8(self, p: Payment) -> bool:
        """Whether this is broken: a void invoice has no payments."""
        return self.invoices[p["invoice_id"]]["status"] == "void"

    def _breaks_rule_9(self, c: Customer) -> bool:
        """Whether this is broken: a customer never uses more credit than was granted."""
        return self._customer_credit_left(c) < 0

    def _breaks_rule_10(self, s: Subscription) -> bool:
        """Whether this is broken: a subscription is suspended exactly while one of its open invoices has failed to be
        charged three times.
        """
        return s["status"] != "cancelled" and (s["status"] == "suspended") != self._out_of_grace(s)

    def _breaks_rule_11(self, i: Invoice) -> bool:
        """Whether this is broken: a trial is never invoiced."""
        return self.subscriptions[i["subscription_id"]]["status"] == "trial"

    def _breaks_rule_12(self, i: Invoice) -> bool:
        """Whether this is broken: a period of a subscription is invoiced once."""
        return (
            i["reason"] == "period"
            and i["status"] != "void"
            and any(
                other_i is not i
                for other_i in self._invoices_by_subscription_reason.get(
                    (i["subscription_id"], "period"),
                    {},
                ).values()
                if other_i["covers_from"] == i["covers_from"]
                and other_i["status"] != "void"
            )
        )

    def _breaks_rule_13(self, i: Invoice) -> bool:
        """Whether this is broken: an invoice knows when its last charge failed, if one did."""
        return (i["last_failed_on"] is not None) != (i["failed_charges"] > 0)

    def _breaks_rule_14(self, s: Subscription) -> bool:
        """Whether this is broken: whoever is on trial has used up the one trial a customer gets."""
        return s["status"] == "trial" and not self.customers[s["customer_id"]]["had_trial"]

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
            case "subscriptions":
                self._subscriptions_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._subscriptions_by_customer_status.setdefault(
                    (record["customer_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "seats":
                self._seats_by_subscription.setdefault(record["subscription_id"], {})[record["id"]] = record
            case "invoices":
                self._invoices_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._invoices_by_customer_status.setdefault(
                    (record["customer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._invoices_by_subscription.setdefault(record["subscription_id"], {})[record["id"]] = record
                self._invoices_by_subscription_reason.setdefault(
                    (record["subscription_id"], record["reason"]),
                    {},
                )[record["id"]] = record
                self._invoices_by_subscription_reason_status.setdefault(
                    (record["subscription_id"], record["reason"], record["status"]),
                    {},
                )[record["id"]] = record
                self._invoices_by_subscription_status.setdefault(
                    (record["subscription_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "payments":
                self._payments_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._payments_by_customer_method.setdefault(
                    (record["customer_id"], record["method"]),
                    {},
                )[record["id"]] = record
                self._payments_by_invoice.setdefault(record["invoice_id"], {})[record["id"]] = record
            case "credits":
                self._credits_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "subscriptions":
                del self._subscriptions_by_customer[record["customer_id"]][record["id"]]
                del self._subscriptions_by_customer_status[record["customer_id"], record["status"]][record["id"]]
            case "seats":
                del self._seats_by_subscription[record["subscription_id"]][record["id"]]
            case "invoices":
                del self._invoices_by_customer[record["customer_id"]][record["id"]]
                del self._invoices_by_customer_status[record["customer_id"], record["status"]][record["id"]]
                del self._invoices_by_subscription[record["subscription_id"]][record["id"]]
                del self._invoices_by_subscription_reason[record["subscription_id"], record["reason"]][record["id"]]
                del self._invoices_by_subscription_reason_status[
                    record["subscription_id"],
                    record["reason"],
                    record["status"],
                ][record["id"]]
                del self._invoices_by_subscription_status[record["subscription_id"], record["status"]][record["id"]]
            case "payments":
                del self._payments_by_customer[record["customer_id"]][record["id"]]
                del self._payments_by_customer_method[record["customer_id"], record["method"]][record["id"]]
                del self._payments_by_invoice[record["invoice_id"]][record["id"]]
            case "credits":
                del self._credits_by_customer[record["customer_id"]][record["id"]]
