"""Bank accounts. Compiled from blueprint.yaml; run `envscaler build bank_accounts` after changing it there.

Keeps the current and savings accounts of a bank's customers, with payments, card holds, overdrafts, daily
limits, standing orders and freezes.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Payments and holds never use more of an account than its balance and its overdraft.",
    "Only current accounts have an overdraft, agreed when the holder was of age.",
    "The transfers that an account makes in a day never exceed the daily limit in force at the time.",
    "Transfers out of an account record its daily limit, and other payments record none.",
    "Money leaves a savings account only for another account of the same holder.",
    "A payment has two different accounts, or one account and a counterparty outside the bank.",
    "A closed account has a balance of 0, no active hold, no freeze and no running standing order from or to it.",
    "A settled hold has a payment from its account of at most the amount held, and no other hold has one.",
    "Holds are placed on current accounts only.",
    "A running standing order is due no later than its last day.",
    "A standing order pays another account, and from savings only another account of the holder.",
    "No two running standing orders have the same payer, payee and memo.",
    "An account has one active freeze for each reason.",
    "A customer has at most one open savings account.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_account",
    "close_account",
    "transfer_money",
    "place_hold",
    "settle_hold",
    "set_up_standing_order",
    "run_standing_order",
    "end_standing_order",
    "freeze_account",
    "lift_freeze",
    "set_limits",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "accounts": ("number",),
    "payments": (),
    "holds": ("merchant",),
    "standing_orders": (),
    "freezes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("accounts", "holder_id"),
    ("accounts", "kind"),
    ("accounts", "number"),
    ("accounts", "status"),
    ("freezes", "account_id"),
    ("freezes", "reason"),
    ("freezes", "status"),
    ("holds", "account_id"),
    ("holds", "status"),
    ("payments", "kind"),
    ("payments", "payee_id"),
    ("payments", "payer_id"),
    ("standing_orders", "payee_id"),
    ("standing_orders", "payer_id"),
    ("standing_orders", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str
    born: str
    city: str
    phone: str


class Account(TypedDict):
    id: str
    number: str
    holder_id: str
    kind: Literal["current", "savings"]
    opened_on: str
    overdraft: int
    overdraft_since: str | None
    daily_limit: int
    closed_on: str | None
    status: Literal["open", "closed"]


class Payment(TypedDict):
    id: str
    payer_id: str | None
    payee_id: str | None
    counterparty: str | None
    amount: int
    kind: Literal["transfer", "card", "standing_order"]
    booked_on: str
    memo: str
    limit: int | None


class Hold(TypedDict):
    id: str
    account_id: str
    merchant: str
    amount: int
    placed_on: str
    expires_on: str
    payment_id: str | None
    status: Literal["active", "settled", "released"]


class StandingOrder(TypedDict):
    id: str
    payer_id: str
    payee_id: str
    amount: int
    memo: str
    every_months: int
    next_on: str
    last_on: str | None
    status: Literal["active", "ended"]


class Freeze(TypedDict):
    id: str
    account_id: str
    reason: Literal["court_order", "suspected_fraud", "lost_card", "customer_request", "death"]
    amount: int | None
    ordered_by: str
    placed_on: str
    lifted_on: str | None
    lifted_by: str | None
    status: Literal["active", "lifted"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class BankAccounts:
    """Keeps the current and savings accounts of a bank's customers, with payments, card holds, overdrafts,
    daily limits, standing orders and freezes.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.accounts: dict[str, Account] = _copied(config.get("accounts", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.holds: dict[str, Hold] = _copied(config.get("holds", {}))
        self.standing_orders: dict[str, StandingOrder] = _copied(config.get("standing_orders", {}))
        self.freezes: dict[str, Freeze] = _copied(config.get("freezes", {}))
        self.now: str = config.get("now", "2026-03-02T09:00")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "account": len(self.accounts),
            "payment": len(self.payments),
            "hold": len(self.holds),
            "standing_order": len(self.standing_orders),
            "freeze": len(self.freezes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._accounts_by_holder: dict[Any, dict[str, Account]] = {}
        self._accounts_by_holder_kind_status: dict[Any, dict[str, Account]] = {}
        self._accounts_by_holder_status: dict[Any, dict[str, Account]] = {}
        self._accounts_by_number: dict[Any, dict[str, Account]] = {}
        self._payments_by_payee: dict[Any, dict[str, Payment]] = {}
        self._payments_by_payer: dict[Any, dict[str, Payment]] = {}
        self._payments_by_payer_kind: dict[Any, dict[str, Payment]] = {}
        self._holds_by_account_status: dict[Any, dict[str, Hold]] = {}
        self._standing_orders_by_payee: dict[Any, dict[str, StandingOrder]] = {}
        self._standing_orders_by_payee_status: dict[Any, dict[str, StandingOrder]] = {}
        self._standing_orders_by_payer: dict[Any, dict[str, StandingOrder]] = {}
        self._standing_orders_by_payer_payee_status: dict[Any, dict[str, StandingOrder]] = {}
        self._standing_orders_by_payer_status: dict[Any, dict[str, StandingOrder]] = {}
        self._freezes_by_account_reason_status: dict[Any, dict[str, Freeze]] = {}
        self._freezes_by_account_status: dict[Any, dict[str, Freeze]] = {}
        for account in self.accounts.values():
            self._link("accounts", account)
        for payment in self.payments.values():
            self._link("payments", payment)
        for hold in self.holds.values():
            self._link("holds", hold)
        for standing_order in self.standing_orders.values():
            self._link("standing_orders", standing_order)
        for freeze in self.freezes.values():
            self._link("freezes", freeze)

    def statement(
        self,
        account_id: str,
        since: Date,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The payments of an account from a day on, newest first, incoming positive and outgoing negative.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            since (str): First day that is listed, as YYYY-MM-DD.
            until (str, optional): Last day that is listed, as YYYY-MM-DD. If left out, all payments since the
                first day are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}} or {"success": False, "error": why
                not}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        found = [
            p
            for p in _distinct(
                [
                    *self._payments_by_payer.get(account_id, {}).values(),
                    *self._payments_by_payee.get(account_id, {}).values(),
                ]
            )
            if p["booked_on"] >= since
            and (until is None or p["booked_on"] <= until)
        ]
        found.sort(key=lambda p: (_descending(p["booked_on"]), _descending(p["id"]), _age(p)))
        return _found(
            {
                "total": len(found),
                "payments": [
                    {
                        "id": p["id"],
                        "booked_on": p["booked_on"],
                        "amount": p["amount"] if p["payee_id"] == account_id else -p["amount"],
                        "kind": p["kind"],
                        "memo": p["memo"],
                        "other": p[
                            "counterparty"
                        ] if p[
                            "counterparty"
                        ] is not None else self.accounts[
                            p["payer_id"]
                        ]["number"] if p["payer_id"] is not None and p["payer_id"] != account_id else self.accounts[
                            p["payee_id"]
                        ]["number"] if p["payee_id"] is not None else None,
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def due_standing_orders(
        self,
        until: Date,
        payer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Running standing orders due until a day, and whether the paying account can pay them now.

        Args:
            until (str): Last due day that is listed, as YYYY-MM-DD.
            payer_id (str, optional): Only orders that this account pays; an id such as ACCOUNT-00001. If left out,
                the orders of all accounts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standing_orders": records}} or {"success": False,
                "error": why not}
        """
        payer = self.accounts.get(payer_id) if payer_id is not None else None
        if payer_id is not None and payer is None:
            return _refused(f"There is no account {payer_id!r}.")
        found = [
            s
            for s in self.standing_orders.values()
            if (s["status"] == "active" and s["next_on"] <= until)
            and (payer_id is None or s["payer_id"] == payer_id)
        ]
        found.sort(key=lambda s: (s["next_on"], s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "standing_orders": [
                    {
                        "id": s["id"],
                        "payer": self.accounts[s["payer_id"]]["number"],
                        "payee": self.accounts[s["payee_id"]]["number"],
                        "amount": s["amount"],
                        "memo": s["memo"],
                        "next_on": s["next_on"],
                        "covered": not self._account_frozen(
                            self.accounts[s["payer_id"]]
                        ) and s["amount"] <= self._account_available(self.accounts[s["payer_id"]]),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def lapsed_holds(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Active holds that expired before today.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}} or {"success": False, "error": why
                not}
        """
        found = [h for h in self.holds.values() if (h["status"] == "active" and h["expires_on"] < self.now[:10])]
        found.sort(key=lambda h: (h["expires_on"], h["id"], _age(h)))
        return _found(
            {
                "total": len(found),
                "holds": [
                    {
                        "id": h["id"],
                        "account": self.accounts[h["account_id"]]["number"],
                        "merchant": h["merchant"],
                        "amount": h["amount"],
                        "expires_on": h["expires_on"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def customer_overview(self, customer_id: str) -> Result:
        """What a customer has in all open accounts together.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.

        Returns:
            dict: {"success": True, "data": {accounts, balance, held, overdraft, frozen_accounts}} or {"success":
                False, "error": why not}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        return _found(
            {
                "accounts": len(self._accounts_by_holder_status.get((customer_id, "open"), {})),
                "balance": sum(
                    self._account_balance(a)
                    for a in self._accounts_by_holder_status.get((customer_id, "open"), {}).values()
                ),
                "held": sum(
                    self._account_held(a)
                    for a in self._accounts_by_holder_status.get((customer_id, "open"), {}).values()
                ),
                "overdraft": sum(
                    a["overdraft"]
                    for a in self._accounts_by_holder_status.get((customer_id, "open"), {}).values()
                ),
                "frozen_accounts": sum(
                    1
                    for a in self._accounts_by_holder.get(customer_id, {}).values()
                    if self._account_frozen(a)
                ),
            }
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
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def get_account(self, account_id: str) -> Result:
        """Look up one account by its id.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        shown = self._show_account(account)
        return _found(shown, self._names_of_accounts([shown]))

    def list_accounts(
        self,
        number: Text | None = None,
        holder_id: str | None = None,
        kind: Literal["current", "savings"] | None = None,
        status: Literal["open", "closed"] | None = None,
        opened_on_from: Date | None = None,
        opened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accounts, oldest first, all of them or only some.

        Args:
            number (str, optional): Only accounts whose number contains this text.
            holder_id (str, optional): Only accounts whose holder is this customer.
            kind (str, optional): Only accounts with this kind.
            status (str, optional): Only accounts with this status.
            opened_on_from (str, optional): Only accounts whose `opened_on` is on this day or later.
            opened_on_to (str, optional): Only accounts whose `opened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}}
        """
        if holder_id is not None and holder_id not in self.customers:
            return _refused(f"There is no customer {holder_id!r}.")
        found = [
            account
            for account in self.accounts.values()
            if (number is None or number.casefold() in account["number"].casefold())
            and (holder_id is None or account["holder_id"] == holder_id)
            and (kind is None or account["kind"] == kind)
            and (status is None or account["status"] == status)
            and (opened_on_from is None or account["opened_on"] >= opened_on_from)
            and (opened_on_to is None or account["opened_on"] <= opened_on_to)
        ]
        shown = [self._show_account(account) for account in _page(found, offset)]
        return _found({"total": len(found), "accounts": shown}, self._names_of_accounts(shown))

    def list_payments(
        self,
        payer_id: str | None = None,
        payee_id: str | None = None,
        kind: Literal["transfer", "card", "standing_order"] | None = None,
        booked_on_from: Date | None = None,
        booked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            payer_id (str, optional): Only payments whose payer is this account.
            payee_id (str, optional): Only payments whose payee is this account.
            kind (str, optional): Only payments with this kind.
            booked_on_from (str, optional): Only payments whose `booked_on` is on this day or later.
            booked_on_to (str, optional): Only payments whose `booked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if payer_id is not None and payer_id not in self.accounts:
            return _refused(f"There is no account {payer_id!r}.")
        if payee_id is not None and payee_id not in self.accounts:
            return _refused(f"There is no account {payee_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (payer_id is None or payment["payer_id"] == payer_id)
            and (payee_id is None or payment["payee_id"] == payee_id)
            and (kind is None or payment["kind"] == kind)
            and (booked_on_from is None or payment["booked_on"] >= booked_on_from)
            and (booked_on_to is None or payment["booked_on"] <= booked_on_to)
        ]
        shown = [{**payment} for payment in _page(found, offset)]
        return _found({"total": len(found), "payments": shown}, self._names_of_payments(shown))

    def list_holds(
        self,
        merchant: Text | None = None,
        account_id: str | None = None,
        payment_id: str | None = None,
        status: Literal["active", "settled", "released"] | None = None,
        placed_on_from: Date | None = None,
        placed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holds, oldest first, all of them or only some.

        Args:
            merchant (str, optional): Only holds whose merchant contains this text.
            account_id (str, optional): Only holds of this account.
            payment_id (str, optional): Only holds of this payment.
            status (str, optional): Only holds with this status.
            placed_on_from (str, optional): Only holds whose `placed_on` is on this day or later.
            placed_on_to (str, optional): Only holds whose `placed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}}
        """
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        if payment_id is not None and payment_id not in self.payments:
            return _refused(f"There is no payment {payment_id!r}.")
        found = [
            hold
            for hold in self.holds.values()
            if (merchant is None or merchant.casefold() in hold["merchant"].casefold())
            and (account_id is None or hold["account_id"] == account_id)
            and (payment_id is None or hold["payment_id"] == payment_id)
            and (status is None or hold["status"] == status)
            and (placed_on_from is None or hold["placed_on"] >= placed_on_from)
            and (placed_on_to is None or hold["placed_on"] <= placed_on_to)
        ]
        shown = [{**hold} for hold in _page(found, offset)]
        return _found({"total": len(found), "holds": shown}, self._names_of_holds(shown))

    def list_standing_orders(
        self,
        payer_id: str | None = None,
        payee_id: str | None = None,
        status: Literal["active", "ended"] | None = None,
        next_on_from: Date | None = None,
        next_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the standing orders, oldest first, all of them or only some.

        Args:
            payer_id (str, optional): Only standing orders whose payer is this account.
            payee_id (str, optional): Only standing orders whose payee is this account.
            status (str, optional): Only standing orders with this status.
            next_on_from (str, optional): Only standing orders whose `next_on` is on this day or later.
            next_on_to (str, optional): Only standing orders whose `next_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standing_orders": records}}
        """
        if payer_id is not None and payer_id not in self.accounts:
            return _refused(f"There is no account {payer_id!r}.")
        if payee_id is not None and payee_id not in self.accounts:
            return _refused(f"There is no account {payee_id!r}.")
        found = [
            standing_order
            for standing_order in self.standing_orders.values()
            if (payer_id is None or standing_order["payer_id"] == payer_id)
            and (payee_id is None or standing_order["payee_id"] == payee_id)
            and (status is None or standing_order["status"] == status)
            and (next_on_from is None or standing_order["next_on"] >= next_on_from)
            and (next_on_to is None or standing_order["next_on"] <= next_on_to)
        ]
        shown = [{**standing_order} for standing_order in _page(found, offset)]
        return _found({"total": len(found), "standing_orders": shown}, self._names_of_standing_orders(shown))

    def list_freezes(
        self,
        account_id: str | None = None,
        reason: Literal["court_order", "suspected_fraud", "lost_card", "customer_request", "death"] | None = None,
        status: Literal["active", "lifted"] | None = None,
        placed_on_from: Date | None = None,
        placed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the freezes, oldest first, all of them or only some.

        Args:
            account_id (str, optional): Only freezes of this account.
            reason (str, optional): Only freezes with this reason.
            status (str, optional): Only freezes with this status.
            placed_on_from (str, optional): Only freezes whose `placed_on` is on this day or later.
            placed_on_to (str, optional): Only freezes whose `placed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "freezes": records}}
        """
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        found = [
            freeze
            for freeze in self.freezes.values()
            if (account_id is None or freeze["account_id"] == account_id)
            and (reason is None or freeze["reason"] == reason)
            and (status is None or freeze["status"] == status)
            and (placed_on_from is None or freeze["placed_on"] >= placed_on_from)
            and (placed_on_to is None or freeze["placed_on"] <= placed_on_to)
        ]
        shown = [{**freeze} for freeze in _page(found, offset)]
        return _found({"total": len(found), "freezes": shown}, self._names_of_freezes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_account(
        self,
        holder_id: str,
        kind: Literal["current", "savings"],
        number: Text,
        daily_limit: Annotated[int, {"minimum": 0, "maximum": 2000000}],
    ) -> Result:
        """Open a current or savings account for a customer, without overdraft.

        Args:
            holder_id (str): Customer who owns the account; an id such as CUSTOMER-00001.
            kind (str): Type of account, savings only where the customer has none open: current or savings.
            number (str): Number of the new account, not in use yet.
            daily_limit (int): Most that may be transferred from the account in a day, in cents, from 0 to 2000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        holder = self.customers.get(holder_id)
        if holder is None:
            return _refused(f"There is no customer {holder_id!r}.")
        if self._accounts_by_number.get(number, {}):
            return _refused(f"Account number {number} is taken.")
        if not (
            kind == "current"
            or not self._accounts_by_holder_kind_status.get((holder_id, "savings", "open"), {})
        ):
            return _refused(f"{holder['name']} has an open savings account already.")
        dead = next(
            (
                f
                for f in sorted(
                    [
                        f
                        for _account in self._accounts_by_holder.get(holder_id, {}).values()
                        for f in self._freezes_by_account_reason_status.get(
                            (_account["id"], "death", "active"),
                            {},
                        ).values()
                    ],
                    key=_age,
                )
            ),
            None,
        )
        if dead is not None:
            return _refused(
                f"The accounts of {holder['name']} are frozen because of death since {dead['placed_on']}."
            )
        self._journal = []
        account: Account = {
            "id": self._new_id("account", "ACCOUNT", self.accounts),
            "number": number,
            "holder_id": holder_id,
            "kind": kind,
            "opened_on": self.now[:10],
            "overdraft": 0,
            "overdraft_since": None,
            "daily_limit": daily_limit,
            "closed_on": None,
            "status": "open",
        }
        self._add("accounts", account)
        if len(self._accounts_by_number.get(account["number"], {})) > 1:
            return self._take_back(f"There is already an account with the number {account['number']!r}.")
        if self._breaks_rule_1(account):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(account):
            return self._take_back(RULES[1])
        if self._breaks_rule_7(account):
            return self._take_back(RULES[6])
        if self._breaks_rule_14(account):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: open {kind} account {number} for {holder['name']} (new: account {account['id']}).",
            "data": {"account_id": account["id"], **self._changes()},
        }

    def close_account(self, account_id: str) -> Result:
        """Close an account that is empty and has no holds, freezes or standing orders.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "open":
            return _refused(f"Account {account['number']} is closed already.")
        if self._account_balance(account) != 0:
            return _refused(f"Account {account['number']} has a balance of {_money(self._account_balance(account))}.")
        if self._holds_by_account_status.get((account_id, "active"), {}):
            return _refused(f"Account {account['number']} has active holds of {_money(self._account_held(account))}.")
        blocked = next(
            (f for f in sorted(self._freezes_by_account_status.get((account_id, "active"), {}).values(), key=_age)),
            None,
        )
        if blocked is not None:
            return _refused(
                f"Account {account['number']} is frozen for {blocked['reason']} by {blocked['ordered_by']}."
            )
        running = next(
            (
                s
                for s in sorted(
                    _distinct(
                        [
                            *self._standing_orders_by_payer.get(account_id, {}).values(),
                            *self._standing_orders_by_payee.get(account_id, {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if s["status"] == "active"
            ),
            None,
        )
        if running is not None:
            return _refused(
                f"The standing order {running['memo']} from {self.accounts[running['payer_id']]['number']} to "
                f"{self.accounts[running['payee_id']]['number']} is still running."
            )
        self._journal = []
        self._put("accounts", account, "overdraft", 0)
        self._put("accounts", account, "overdraft_since", None)
        self._put("accounts", account, "closed_on", self.now[:10])
        self._put("accounts", account, "status", "closed")
        if self._breaks_rule_1(account):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(account):
            return self._take_back(RULES[1])
        if self._breaks_rule_7(account):
            return self._take_back(RULES[6])
        if self._breaks_rule_14(account):
            return self._take_back(RULES[13])
        return {"success": True, "message": f"Done: close account {account['number']}.", "data": self._changes()}

    def transfer_money(
        self,
        amount: Annotated[int, {"minimum": 1, "maximum": 5000000}],
        memo: Text,
        payer_id: str | None = None,
        payee_id: str | None = None,
        counterparty: Text | None = None,
    ) -> Result:
        """Book a payment between two accounts, or from or to a counterparty outside the bank when payer or payee is
        left out.

        Args:
            amount (int): Sum that is transferred, in cents, from 1 to 5000000.
            memo (str): What the payment is for, as it stands on the statement.
            payer_id (str, optional): Account that pays; an id such as ACCOUNT-00001. If left out, the money comes
                from the counterparty outside the bank.
            payee_id (str, optional): Account that receives the money; an id such as ACCOUNT-00001. If left out,
                the money goes to the counterparty outside the bank.
            counterparty (str, optional): Name of the company outside the bank, where payer or payee is missing. If
                left out, both payer and payee must be given.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        payer = self.accounts.get(payer_id) if payer_id is not None else None
        if payer_id is not None and payer is None:
            return _refused(f"There is no account {payer_id!r}.")
        payee = self.accounts.get(payee_id) if payee_id is not None else None
        if payee_id is not None and payee is None:
            return _refused(f"There is no account {payee_id!r}.")
        if payer_id is None and payee_id is None:
            return _refused("Name the account that pays, the account that receives, or both.")
        if payer is payee:
            return _refused("An account cannot pay itself.")
        if not (payer_id is not None and payee_id is not None or counterparty is not None):
            return _refused("Name the counterparty outside the bank.")
        if payer_id is not None and payee_id is not None and counterparty is not None:
            return _refused("A payment between two of our accounts has no counterparty outside the bank.")
        if payer_id is not None and payer["status"] != "open":
            return _refused(f"Account {payer['number']} is closed.")
        if payee_id is not None and payee["status"] != "open":
            return _refused(f"Account {payee['number']} is closed.")
        if payer_id is not None and self._account_frozen(payer):
            return _refused(f"Account {payer['number']} is frozen.")
        if not (
            payer_id is None
            or payer["kind"] != "savings"
            or payee_id is not None
            and payee["holder_id"] == payer["holder_id"]
        ):
            return _refused(
                f"Savings account {payer['number']} pays only other accounts of "
                f"{self.customers[payer['holder_id']]['name']}."
            )
        if payer_id is not None and amount > self._account_available(payer):
            return _refused(
                f"Account {payer['number']} has {_money(self._account_available(payer))} available, not "
                f"{_money(amount)}."
            )
        if payer_id is not None and self._paid_out(payer, self.now[:10]) + amount > payer["daily_limit"]:
            return _refused(
                f"Account {payer['number']} has transferred {_money(self._paid_out(payer, self.now[:10]))} of "
                f"{_money(payer['daily_limit'])} allowed today."
            )
        self._journal = []
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "payer_id": payer_id,
            "payee_id": payee_id,
            "counterparty": counterparty,
            "amount": amount,
            "kind": "transfer",
            "booked_on": self.now[:10],
            "memo": memo,
            "limit": payer["daily_limit"] if payer_id is not None else None,
        }
        self._add("payments", payment)
        for one_account in _distinct(
            [self.accounts.get(payment["payee_id"]), self.accounts.get(payment["payer_id"])]
        ):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_payment in _distinct(
            [
                payment,
                *[
                    user
                    for one in [self.accounts.get(payment["payer_id"])]
                    if one is not None
                    for user in self._payments_by_payer.get(payment["payer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_payment):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(payment):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(payment):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(payment):
            return self._take_back(RULES[5])
        for one_account in _distinct(
            [self.accounts.get(payment["payee_id"]), self.accounts.get(payment["payer_id"])]
        ):
            if self._breaks_rule_7(one_account):
                return self._take_back(RULES[6])
        done = f"book a payment of {_money(amount)} for {memo}"
        if payer is not None:
            done += f" from {payer['number']}"
        if payee is not None:
            done += f" to {payee['number']}"
        if counterparty is not None:
            done += f" with {counterparty}"
        return {
            "success": True,
            "message": f"Done: {done} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def place_hold(
        self,
        account_id: str,
        merchant: Text,
        amount: Annotated[int, {"minimum": 1, "maximum": 300000}],
        valid_days: Annotated[int, {"minimum": 1, "maximum": 30}] = 7,
    ) -> Result:
        """Hold an amount on a current account for a merchant until it is settled or lapses.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            merchant (str): Name of the company that asks for the hold.
            amount (int): Sum that is held on the account, in cents, from 1 to 300000.
            valid_days (int): Days after which the hold lapses, counted from today, from 1 to 30. Default: 7.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "open":
            return _refused(f"Account {account['number']} is closed.")
        if account["kind"] != "current":
            return _refused(f"Account {account['number']} is a savings account and has no card.")
        if self._account_frozen(account):
            return _refused(f"Account {account['number']} is frozen.")
        if self._account_card_blocked(account):
            return _refused(f"The card of account {account['number']} is blocked as lost.")
        if amount > self._account_available(account):
            return _refused(
                f"Account {account['number']} has {_money(self._account_available(account))} available, not "
                f"{_money(amount)}."
            )
        self._journal = []
        hold: Hold = {
            "id": self._new_id("hold", "HOLD", self.holds),
            "account_id": account_id,
            "merchant": merchant,
            "amount": amount,
            "placed_on": self.now[:10],
            "expires_on": _plus_days(self.now[:10], valid_days),
            "payment_id": None,
            "status": "active",
        }
        self._add("holds", hold)
        if self._breaks_rule_1(self.accounts[hold["account_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_7(self.accounts[hold["account_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_h(hold):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_h_again(hold):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(hold):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: hold {_money(amount)} on account {account['number']} for {merchant} (new: hold {hold['id']})."
            ),
            "data": {"hold_id": hold["id"], **self._changes()},
        }

    def settle_hold(self, hold_id: str, amount: Annotated[int, {"minimum": 0, "maximum": 300000}]) -> Result:
        """Book the final amount of a hold, at most what is held, or release the hold with 0.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.
            amount (int): Final sum of the card payment, or 0 to release the hold, in cents, from 0 to 300000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        if hold["status"] != "active":
            return _refused(f"The hold of {hold['merchant']} is {hold['status']}.")
        if amount > hold["amount"]:
            return _refused(f"Only {_money(hold['amount'])} is held for {hold['merchant']}.")
        if amount != 0 and hold["expires_on"] < self.now[:10]:
            return _refused(
                f"The hold of {hold['merchant']} lapsed on {hold['expires_on']} and can only be released."
            )
        self._journal = []
        changed_holds: list[Any] = []
        added_payments: list[Any] = []
        changed_holds_2: list[Any] = []
        if amount == 0:
            changed_holds.append(hold)
            self._put("holds", hold, "status", "released")
        else:
            if not 1 <= amount <= 5000000:
                return self._take_back("The amount of a payment must be between 0.01 and 50,000.00.")
            booked = {
                "id": self._new_id("payment", "PAYMENT", self.payments),
                "payer_id": hold["account_id"],
                "payee_id": None,
                "counterparty": hold["merchant"],
                "amount": amount,
                "kind": "card",
                "booked_on": self.now[:10],
                "memo": "Card payment",
                "limit": None,
            }
            self._add("payments", booked)
            added_payments.append(booked)
            changed_holds_2.append(hold)
            self._put("holds", hold, "payment_id", booked["id"])
            if hold["status"] not in ("active", "settled"):
                return self._take_back(f"Hold {hold['merchant']} cannot go from {hold['status']} to settled.")
            changed_holds.append(hold)
            self._put("holds", hold, "status", "settled")
        for one_account in _distinct(
            [
                *[self.accounts[one["account_id"]] for one in changed_holds],
                *[self.accounts.get(one["payee_id"]) for one in added_payments],
                *[self.accounts.get(one["payer_id"]) for one in added_payments],
            ]
        ):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_payment in _distinct(
            [
                *added_payments,
                *[
                    user
                    for one in [self.accounts.get(one["payer_id"]) for one in added_payments]
                    if one is not None
                    for user in self._payments_by_payer.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_payment):
                return self._take_back(RULES[2])
        for one_payment in _distinct(added_payments):
            if self._breaks_rule_4(one_payment):
                return self._take_back(RULES[3])
        for one_payment in _distinct(added_payments):
            if self._breaks_rule_5(one_payment):
                return self._take_back(RULES[4])
        for one_payment in _distinct(added_payments):
            if self._breaks_rule_6(one_payment):
                return self._take_back(RULES[5])
        for one_account in _distinct(
            [
                *[self.accounts[one["account_id"]] for one in changed_holds],
                *[self.accounts.get(one["payee_id"]) for one in added_payments],
                *[self.accounts.get(one["payer_id"]) for one in added_payments],
            ]
        ):
            if self._breaks_rule_7(one_account):
                return self._take_back(RULES[6])
        for one_hold in _distinct([*changed_holds, *changed_holds_2]):
            if self._breaks_rule_8_h(one_hold):
                return self._take_back(RULES[7])
        for one_hold in _distinct(changed_holds_2):
            if self._breaks_rule_8_h_again(one_hold):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: settle the hold of {hold['merchant']} on account "
                f"{self.accounts[hold['account_id']]['number']} with {_money(amount)}."
            ),
            "data": self._changes(),
        }

    def set_up_standing_order(
        self,
        payer_id: str,
        payee_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 500000}],
        memo: Text,
        first_on: Date,
        every_months: Annotated[int, {"minimum": 1, "maximum": 12}] = 1,
        last_on: Date | None = None,
    ) -> Result:
        """Set up a payment that recurs every month or every few months.

        Args:
            payer_id (str): Account that pays each time; an id such as ACCOUNT-00001.
            payee_id (str): Account that receives each payment; an id such as ACCOUNT-00001.
            amount (int): Sum of each payment, in cents, from 1 to 500000.
            memo (str): What the payments are for, as it stands on the statement.
            first_on (str): Day of the first payment, after today, as YYYY-MM-DD.
            every_months (int): Months from one payment to the next, from 1 to 12. Default: 1.
            last_on (str, optional): Day after which nothing is paid any more, as YYYY-MM-DD. If left out, the
                payments go on without end.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        payer = self.accounts.get(payer_id)
        if payer is None:
            return _refused(f"There is no account {payer_id!r}.")
        payee = self.accounts.get(payee_id)
        if payee is None:
            return _refused(f"There is no account {payee_id!r}.")
        if payer is payee:
            return _refused("An account cannot pay itself.")
        if payer["status"] != "open":
            return _refused(f"Account {payer['number']} is closed.")
        if payee["status"] != "open":
            return _refused(f"Account {payee['number']} is closed.")
        if self._account_frozen(payer):
            return _refused(f"Account {payer['number']} is frozen.")
        if not self._saves_for_holder(payer, payee):
            return _refused(
                f"Savings account {payer['number']} pays only other accounts of "
                f"{self.customers[payer['holder_id']]['name']}."
            )
        if first_on <= self.now[:10]:
            return _refused(f"{first_on} is not in the future.")
        if last_on is not None and last_on < first_on:
            return _refused(f"The last day {last_on} is before the first payment on {first_on}.")
        if any(
            each["memo"] == memo
            for each in self._standing_orders_by_payer_payee_status.get((payer_id, payee_id, "active"), {}).values()
        ):
            return _refused(
                f"A standing order {memo} from {payer['number']} to {payee['number']} is running already."
            )
        self._journal = []
        standing_order: StandingOrder = {
            "id": self._new_id("standing_order", "SO", self.standing_orders),
            "payer_id": payer_id,
            "payee_id": payee_id,
            "amount": amount,
            "memo": memo,
            "every_months": every_months,
            "next_on": first_on,
            "last_on": last_on,
            "status": "active",
        }
        self._add("standing_orders", standing_order)
        if self._breaks_rule_7(self.accounts[standing_order["payer_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(self.accounts[standing_order["payee_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(standing_order):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(standing_order):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(standing_order):
            return self._take_back(RULES[11])
        done = f"set up a standing order of {_money(amount)} from {payer['number']} to {payee['number']} for {memo} on {first_on}"
        if last_on is not None:
            done += f" until {last_on}"
        return {
            "success": True,
            "message": f"Done: {done} (new: standing order {standing_order['id']}).",
            "data": {"standing_order_id": standing_order["id"], **self._changes()},
        }

    def run_standing_order(self, standing_order_id: str) -> Result:
        """Book the due payment of a standing order and move it on; after its last day it ends.

        Args:
            standing_order_id (str): Id of the standing order, such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standing_order = self.standing_orders.get(standing_order_id)
        if standing_order is None:
            return _refused(f"There is no standing order {standing_order_id!r}.")
        if standing_order["status"] != "active":
            return _refused(f"The standing order {standing_order['memo']} has ended.")
        if standing_order["next_on"] > self.now[:10]:
            return _refused(f"The standing order {standing_order['memo']} is due on {standing_order['next_on']}.")
        if self._account_frozen(self.accounts[standing_order["payer_id"]]):
            return _refused(f"Account {self.accounts[standing_order['payer_id']]['number']} is frozen.")
        if standing_order["amount"] > self._account_available(self.accounts[standing_order["payer_id"]]):
            return _refused(
                f"Account {self.accounts[standing_order['payer_id']]['number']} has "
                f"{_money(self._account_available(self.accounts[standing_order['payer_id']]))} available, not "
                f"{_money(standing_order['amount'])}."
            )
        self._journal = []
        changed_standing_orders: list[Any] = []
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "payer_id": standing_order["payer_id"],
            "payee_id": standing_order["payee_id"],
            "counterparty": None,
            "amount": standing_order["amount"],
            "kind": "standing_order",
            "booked_on": self.now[:10],
            "memo": standing_order["memo"],
            "limit": None,
        }
        self._add("payments", payment)
        following = _add_months(standing_order["next_on"], standing_order["every_months"])
        self._put("standing_orders", standing_order, "next_on", following)
        if standing_order["last_on"] is not None and following > standing_order["last_on"]:
            changed_standing_orders.append(standing_order)
            self._put("standing_orders", standing_order, "status", "ended")
        for one_account in _distinct(
            [self.accounts.get(payment["payee_id"]), self.accounts.get(payment["payer_id"])]
        ):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_payment in _distinct(
            [
                payment,
                *[
                    user
                    for one in [self.accounts.get(payment["payer_id"])]
                    if one is not None
                    for user in self._payments_by_payer.get(payment["payer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_payment):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(payment):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(payment):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(payment):
            return self._take_back(RULES[5])
        for one_account in _distinct(
            [
                self.accounts.get(payment["payee_id"]),
                self.accounts.get(payment["payer_id"]),
                *[self.accounts[one["payer_id"]] for one in changed_standing_orders],
                *[self.accounts[one["payee_id"]] for one in changed_standing_orders],
            ]
        ):
            if self._breaks_rule_7(one_account):
                return self._take_back(RULES[6])
        for one_standing_order in _distinct([standing_order, *changed_standing_orders]):
            if self._breaks_rule_10(one_standing_order):
                return self._take_back(RULES[9])
        for one_standing_order in _distinct(changed_standing_orders):
            if self._breaks_rule_12(one_standing_order):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: pay the standing order {standing_order['memo']} from account "
                f"{self.accounts[standing_order['payer_id']]['number']} (new: payment {payment['id']})."
            ),
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def end_standing_order(self, standing_order_id: str) -> Result:
        """End a running standing order.

        Args:
            standing_order_id (str): Id of the standing order, such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standing_order = self.standing_orders.get(standing_order_id)
        if standing_order is None:
            return _refused(f"There is no standing order {standing_order_id!r}.")
        if standing_order["status"] != "active":
            return _refused(f"The standing order {standing_order['memo']} has ended already.")
        self._journal = []
        self._put("standing_orders", standing_order, "status", "ended")
        if self._breaks_rule_7(self.accounts[standing_order["payer_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(self.accounts[standing_order["payee_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(standing_order):
            return self._take_back(RULES[9])
        if self._breaks_rule_12(standing_order):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: end the standing order {standing_order['memo']} from account "
                f"{self.accounts[standing_order['payer_id']]['number']} to "
                f"{self.accounts[standing_order['payee_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def freeze_account(
        self,
        account_id: str,
        reason: Literal["court_order", "suspected_fraud", "lost_card", "customer_request", "death"],
        ordered_by: Text,
        amount: Annotated[int, {"minimum": 1, "maximum": 5000000}] | None = None,
    ) -> Result:
        """Freeze an account wholly for one reason, block only an amount of it by court order, or only its card when
        that is lost; money still comes in and holds placed before are still settled.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            reason (str): Why it is frozen, where a lost card blocks only the card: court_order, suspected_fraud,
                lost_card, customer_request or death.
            ordered_by (str): Person, court or office that ordered the freeze.
            amount (int, optional): Sum that is blocked, by court order only, in cents, from 1 to 5000000. If left
                out, the account is frozen wholly, or its card where that is lost.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "open":
            return _refused(f"Account {account['number']} is closed.")
        same = next(
            (
                f
                for f in sorted(
                    self._freezes_by_account_reason_status.get((account_id, reason, "active"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if same is not None:
            return _refused(f"Account {account['number']} is frozen for {reason} since {same['placed_on']}.")
        if amount is not None and reason != "court_order":
            return _refused("Only a court order blocks a part of an account.")
        self._journal = []
        freeze: Freeze = {
            "id": self._new_id("freeze", "FREEZE", self.freezes),
            "account_id": account_id,
            "reason": reason,
            "amount": amount,
            "ordered_by": ordered_by,
            "placed_on": self.now[:10],
            "lifted_on": None,
            "lifted_by": None,
            "status": "active",
        }
        self._add("freezes", freeze)
        if self._breaks_rule_7(self.accounts[freeze["account_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_13(freeze):
            return self._take_back(RULES[12])
        done = f"freeze account {account['number']} for {reason}"
        if amount is not None:
            done += f" up to {_money(amount)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: freeze {freeze['id']}).",
            "data": {"freeze_id": freeze["id"], **self._changes()},
        }

    def lift_freeze(self, freeze_id: str, lifted_by: Text | None = None) -> Result:
        """Lift one freeze of an account; others stay in force, and a court order is lifted only by who ordered it.

        Args:
            freeze_id (str): Id of the freeze, such as FREEZE-00001.
            lifted_by (str, optional): Who lifts the freeze, which for a court order must be whoever ordered it. If
                left out, nobody is named, which no court order allows.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        freeze = self.freezes.get(freeze_id)
        if freeze is None:
            return _refused(f"There is no freeze {freeze_id!r}.")
        if freeze["status"] != "active":
            return _refused(
                f"This freeze of account {self.accounts[freeze['account_id']]['number']} is lifted already."
            )
        if freeze["reason"] == "court_order" and lifted_by != freeze["ordered_by"]:
            return _refused(f"{freeze['ordered_by']} ordered this freeze and alone can lift it, so name them.")
        self._journal = []
        self._put("freezes", freeze, "lifted_by", lifted_by)
        self._put("freezes", freeze, "lifted_on", self.now[:10])
        self._put("freezes", freeze, "status", "lifted")
        if self._breaks_rule_7(self.accounts[freeze["account_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_13(freeze):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: lift the freeze of account {self.accounts[freeze['account_id']]['number']} for "
                f"{freeze['reason']}."
            ),
            "data": self._changes(),
        }

    def set_limits(
        self,
        account_id: str,
        overdraft: Annotated[int, {"minimum": 0, "maximum": 1000000}] | None = None,
        daily_limit: Annotated[int, {"minimum": 0, "maximum": 2000000}] | None = None,
    ) -> Result:
        """Change the overdraft, the daily limit or both of an open account.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            overdraft (int, optional): New limit of the overdraft, none for savings accounts and minors, in cents,
                from 0 to 1000000. If left out, the overdraft stays as it is.
            daily_limit (int, optional): New limit for the transfers of a day, in cents, from 0 to 2000000. If left
                out, the daily limit stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "open":
            return _refused(f"Account {account['number']} is closed.")
        if overdraft is None and daily_limit is None:
            return _refused("Name a new overdraft or a new daily limit.")
        if overdraft is not None and overdraft != 0 and account["kind"] != "current":
            return _refused(f"Savings account {account['number']} has no overdraft.")
        if (
            overdraft is not None
            and overdraft != 0
            and _years(self.customers[account["holder_id"]]["born"], self.now[:10]) < 18
        ):
            return _refused(f"{self.customers[account['holder_id']]['name']} is not of age.")
        if overdraft is not None and overdraft > account["overdraft"] and self._account_frozen(account):
            return _refused(f"Account {account['number']} is frozen.")
        if overdraft is not None and self._account_balance(account) + overdraft < self._account_held(account):
            return _refused(
                f"Account {account['number']} needs an overdraft of "
                f"{_money(self._account_held(account) - self._account_balance(account))}."
            )
        self._journal = []
        changed_accounts: list[Any] = []
        changed_accounts_2: list[Any] = []
        if overdraft is not None:
            changed_accounts.append(account)
            self._put("accounts", account, "overdraft", overdraft)
            changed_accounts_2.append(account)
            self._put("accounts", account, "overdraft_since", self.now[:10] if overdraft > 0 else None)
        if daily_limit is not None:
            self._put("accounts", account, "daily_limit", daily_limit)
        for one_account in _distinct(changed_accounts):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_account in _distinct([*changed_accounts, *changed_accounts_2]):
            if self._breaks_rule_2(one_account):
                return self._take_back(RULES[1])
        done = f"change the limits of account {account['number']}"
        if overdraft is not None:
            done += f", overdraft {_money(overdraft)}"
        if daily_limit is not None:
            done += f", daily limit {_money(daily_limit)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_account(self, account: Account) -> dict[str, Any]:
        """The account as an answer shows it."""
        return {
            **account,
            "balance": self._account_balance(account),
            "held": self._account_held(account),
            "frozen": self._account_frozen(account),
            "card_blocked": self._account_card_blocked(account),
            "attached": self._account_attached(account),
            "available": self._account_available(account),
        }

    def _names_of_accounts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that accounts point to."""
        return _names((self.customers, "name", [row["holder_id"] for row in shown]))

    def _names_of_payments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payments point to."""
        return _names(
            (self.accounts, "number", [row["payer_id"] for row in shown]),
            (self.accounts, "number", [row["payee_id"] for row in shown]),
        )

    def _names_of_holds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holds point to."""
        return _names((self.accounts, "number", [row["account_id"] for row in shown]))

    def _names_of_standing_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that standing orders point to."""
        return _names(
            (self.accounts, "number", [row["payer_id"] for row in shown]),
            (self.accounts, "number", [row["payee_id"] for row in shown]),
        )

    def _names_of_freezes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that freezes point to."""
        return _names((self.accounts, "number", [row["account_id"] for row in shown]))

    def _account_balance(self, account: Account) -> int:
        """The balance of an account."""
        return (
            sum(p["amount"] for p in self._payments_by_payee.get(account["id"], {}).values())
            - sum(p["amount"] for p in self._payments_by_payer.get(account["id"], {}).values())
        )

    def _account_held(self, account: Account) -> int:
        """The held of an account."""
        return sum(h["amount"] for h in self._holds_by_account_status.get((account["id"], "active"), {}).values())

    def _account_frozen(self, account: Account) -> bool:
        """The frozen of an account."""
        return any(
            f["amount"] is None
            and f["reason"] != "lost_card"
            for f in self._freezes_by_account_status.get((account["id"], "active"), {}).values()
        )

    def _account_card_blocked(self, account: Account) -> bool:
        """The card blocked of an account."""
        return bool(self._freezes_by_account_reason_status.get((account["id"], "lost_card", "active"), {}))

    def _account_attached(self, account: Account) -> int:
        """The attached of an account."""
        return sum(
            f["amount"]
            for f in self._freezes_by_account_status.get((account["id"], "active"), {}).values()
            if f["amount"] is not None
        )

    def _account_available(self, account: Account) -> int:
        """The available of an account."""
        return (
            self._account_balance(account)
            + account["overdraft"]
            - self._account_held(account)
            - self._account_attached(account)
        )

    def _paid_out(self, a: Account, d: str) -> int:
        return sum(
            p["amount"]
            for p in self._payments_by_payer_kind.get((a["id"], "transfer"), {}).values()
            if p["booked_on"] == d
        )

    def _saves_for_holder(self, payer: Account, payee: Account) -> bool:
        return payer["kind"] != "savings" or payer["holder_id"] == payee["holder_id"]

    def _breaks_rule_1(self, a: Account) -> bool:
        """Whether this is broken: payments and holds never use more of an account than its balance and its overdraft.
        """
        return self._account_balance(a) + a["overdraft"] < self._account_held(a)

    def _breaks_rule_2(self, a: Account) -> bool:
        """Whether this is broken: only current accounts have an overdraft, agreed when the holder was of age."""
        return not (
            (a["overdraft_since"] is None) == (a["overdraft"] == 0)
            and (
                a["overdraft_since"] is None
                or a["kind"] == "current"
                and _years(self.customers[a["holder_id"]]["born"], a["overdraft_since"]) >= 18
            )
        )

    def _breaks_rule_3(self, p: Payment) -> bool:
        """Whether this is broken: the transfers that an account makes in a day never exceed the daily limit in force
        at the time.
        """
        return (
            p["payer_id"] is not None
            and p["limit"] is not None
            and sum(
                q["amount"]
                for q in self._payments_by_payer_kind.get((p["payer_id"], "transfer"), {}).values()
                if q["booked_on"] == p["booked_on"]
                and q["id"] <= p["id"]
            ) > p["limit"]
        )

    def _breaks_rule_4(self, p: Payment) -> bool:
        """Whether this is broken: transfers out of an account record its daily limit, and other payments record none.
        """
        return (p["limit"] is not None) != (p["payer_id"] is not None and p["kind"] == "transfer")

    def _breaks_rule_5(self, p: Payment) -> bool:
        """Whether this is broken: money leaves a savings account only for another account of the same holder."""
        return not (
            p["payer_id"] is None
            or self.accounts[p["payer_id"]]["kind"] != "savings"
            or p["payee_id"] is not None
            and self.accounts[p["payee_id"]]["holder_id"] == self.accounts[p["payer_id"]]["holder_id"]
        )

    def _breaks_rule_6(self, p: Payment) -> bool:
        """Whether this is broken: a payment has two different accounts, or one account and a counterparty outside the
        bank.
        """
        return (
            p["payer_id"] == p["payee_id"]
            or (p["counterparty"] is None) != (p["payer_id"] is not None and p["payee_id"] is not None)
        )

    def _breaks_rule_7(self, a: Account) -> bool:
        """Whether this is broken: a closed account has a balance of 0, no active hold, no freeze and no running
        standing order from or to it.
        """
        return (
            a["status"] == "closed"
            and not (
                self._account_balance(a) == 0
                and not self._holds_by_account_status.get((a["id"], "active"), {})
                and not self._freezes_by_account_status.get((a["id"], "active"), {})
                and not self._standing_orders_by_payer_status.get((a["id"], "active"), {})
                and not self._standing_orders_by_payee_status.get((a["id"], "active"), {})
            )
        )

    def _breaks_rule_8_h(self, h: Hold) -> bool:
        """Whether this is broken: a settled hold has a payment from its account of at most the amount held, and no
        other hold has one.
        """
        return (h["status"] == "settled") != (h["payment_id"] is not None)

    def _breaks_rule_8_h_again(self, h: Hold) -> bool:
        """Whether this is broken: a settled hold has a payment from its account of at most the amount held, and no
        other hold has one.
        """
        return not (
            h["payment_id"] is None
            or self.payments[h["payment_id"]]["payer_id"] == h["account_id"]
            and self.payments[h["payment_id"]]["amount"] <= h["amount"]
        )

    def _breaks_rule_9(self, h: Hold) -> bool:
        """Whether this is broken: holds are placed on current accounts only."""
        return self.accounts[h["account_id"]]["kind"] != "current"

    def _breaks_rule_10(self, s: StandingOrder) -> bool:
        """Whether this is broken: a running standing order is due no later than its last day."""
        return s["status"] == "active" and (s["last_on"] is not None and s["next_on"] > s["last_on"])

    def _breaks_rule_11(self, s: StandingOrder) -> bool:
        """Whether this is broken: a standing order pays another account, and from savings only another account of the
        holder.
        """
        return not (
            s["payer_id"] != s["payee_id"]
            and self._saves_for_holder(self.accounts[s["payer_id"]], self.accounts[s["payee_id"]])
        )

    def _breaks_rule_12(self, s: StandingOrder) -> bool:
        """Whether this is broken: no two running standing orders have the same payer, payee and memo."""
        return (
            s["status"] == "active"
            and any(
                other_s is not s
                for other_s in self._standing_orders_by_payer_payee_status.get(
                    (s["payer_id"], s["payee_id"], "active"),
                    {},
                ).values()
                if other_s["memo"] == s["memo"]
            )
        )

    def _breaks_rule_13(self, f: Freeze) -> bool:
        """Whether this is broken: an account has one active freeze for each reason."""
        return (
            f["status"] == "active"
            and any(
                other_f is not f
                for other_f in self._freezes_by_account_reason_status.get(
                    (f["account_id"], f["reason"], "active"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_14(self, a: Account) -> bool:
        """Whether this is broken: a customer has at most one open savings account."""
        return (
            a["kind"] == "savings"
            and a["status"] == "open"
            and any(
                other_a is not a
                for other_a in self._accounts_by_holder_kind_status.get(
                    (a["holder_id"], "savings", "open"),
                    {},
                ).values()
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
            case "accounts":
                self._accounts_by_holder.setdefault(record["holder_id"], {})[record["id"]] = record
                self._accounts_by_holder_kind_status.setdefault(
                    (record["holder_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._accounts_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._accounts_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "payments":
                self._payments_by_payee.setdefault(record["payee_id"], {})[record["id"]] = record
                self._payments_by_payer.setdefault(record["payer_id"], {})[record["id"]] = record
                self._payments_by_payer_kind.setdefault((record["payer_id"], record["kind"]), {})[record["id"]] = record
            case "holds":
                self._holds_by_account_status.setdefault(
                    (record["account_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "standing_orders":
                self._standing_orders_by_payee.setdefault(record["payee_id"], {})[record["id"]] = record
                self._standing_orders_by_payee_status.setdefault(
                    (record["payee_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._standing_orders_by_payer.setdefault(record["payer_id"], {})[record["id"]] = record
                self._standing_orders_by_payer_payee_status.setdefault(
                    (record["payer_id"], record["payee_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._standing_orders_by_payer_status.setdefault(
                    (record["payer_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "freezes":
                self._freezes_by_account_reason_status.setdefault(
                    (record["account_id"], record["reason"], record["status"]),
                    {},
                )[record["id"]] = record
                self._freezes_by_account_status.setdefault(
                    (record["account_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "accounts":
                del self._accounts_by_holder[record["holder_id"]][record["id"]]
                del self._accounts_by_holder_kind_status[
                    record["holder_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._accounts_by_holder_status[record["holder_id"], record["status"]][record["id"]]
                del self._accounts_by_number[record["number"]][record["id"]]
            case "payments":
                del self._payments_by_payee[record["payee_id"]][record["id"]]
                del self._payments_by_payer[record["payer_id"]][record["id"]]
                del self._payments_by_payer_kind[record["payer_id"], record["kind"]][record["id"]]
            case "holds":
                del self._holds_by_account_status[record["account_id"], record["status"]][record["id"]]
            case "standing_orders":
                del self._standing_orders_by_payee[record["payee_id"]][record["id"]]
                del self._standing_orders_by_payee_status[record["payee_id"], record["status"]][record["id"]]
                del self._standing_orders_by_payer[record["payer_id"]][record["id"]]
                del self._standing_orders_by_payer_payee_status[
                    record["payer_id"],
                    record["payee_id"],
                    record["status"],
                ][record["id"]]
                del self._standing_orders_by_payer_status[record["payer_id"], record["status"]][record["id"]]
            case "freezes":
                del self._freezes_by_account_reason_status[
                    record["account_id"],
                    record["reason"],
                    record["status"],
                ][record["id"]]
                del self._freezes_by_account_status[record["account_id"], record["status"]][record["id"]]
