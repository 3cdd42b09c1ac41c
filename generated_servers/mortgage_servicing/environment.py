"""Mortgage servicing. Compiled from blueprint.yaml; run `envscaler build mortgage_servicing` after changing it there.

Services home loans after they are paid out, with monthly billing, payments spread over fees, interest and
principal, returned debits, arrears letters, payment holidays and redemption.
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
    "A fee is never paid above its amount.",
    "A loan is billed once for each due date.",
    "Nobody pays more interest or principal on an instalment than was billed.",
    "Interest of an older instalment is paid before that of a newer one.",
    "Principal of an instalment is paid only when its interest is.",
    "The principal that was billed and not paid is part of the balance.",
    "A loan has at most one late fee a month.",
    "The payment holidays of a loan never exceed what its product allows.",
    "Two payment holidays of a loan never overlap.",
    "A loan has at most one holiday request that is not decided.",
    "A vulnerable borrower is not handed to the lawyers.",
    "A redeemed loan owes nothing and holds no credit.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "bill_instalment",
    "post_payment",
    "reverse_payment",
    "charge_late_fee",
    "waive_fee",
    "take_arrears_step",
    "ask_holiday",
    "grant_holiday",
    "refuse_holiday",
    "pay_down",
    "redeem_loan",
)
"""The methods that may change something; all others only read."""

LOAN_STAGE_MOVES = {
    ("clear", "reminded"),
    ("clear", "redeemed"),
    ("reminded", "demanded"),
    ("reminded", "clear"),
    ("reminded", "redeemed"),
    ("demanded", "legal"),
    ("demanded", "clear"),
    ("demanded", "redeemed"),
    ("legal", "clear"),
    ("legal", "redeemed"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "products": ("name",),
    "borrowers": ("name",),
    "loans": ("number",),
    "instalments": (),
    "fees": (),
    "payments": (),
    "holidays": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("fees", "kind"),
    ("fees", "loan_id"),
    ("holidays", "loan_id"),
    ("holidays", "status"),
    ("instalments", "loan_id"),
    ("payments", "loan_id"),
    ("payments", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Product(TypedDict):
    id: str
    name: str
    rate_bp: int
    fee: int
    holiday_months: int


class Borrower(TypedDict):
    id: str
    name: str
    vulnerable: bool


class Loan(TypedDict):
    id: str
    number: str
    borrower_id: str
    product_id: str
    instalment: int
    balance: int
    credit: int
    stage: Literal["clear", "reminded", "redeemed", "demanded", "legal"]
    stage_since: str | None


class Instalment(TypedDict):
    id: str
    loan_id: str
    due_on: str
    interest: int
    principal: int
    paid_interest: int
    paid_principal: int


class Fee(TypedDict):
    id: str
    loan_id: str
    kind: Literal["late", "returned"]
    amount: int
    charged_on: str
    paid: int
    waived: bool


class Payment(TypedDict):
    id: str
    loan_id: str
    amount: int
    received_on: str
    to_fees: int
    to_interest: int
    to_principal: int
    status: Literal["posted", "reversed"]


class Holiday(TypedDict):
    id: str
    loan_id: str
    starts: str
    months: int
    status: Literal["asked", "granted", "refused"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class MortgageServicing:
    """Services home loans after they are paid out, with monthly billing, payments spread over fees,
    interest and principal, returned debits, arrears letters, payment holidays and redemption.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.borrowers: dict[str, Borrower] = _copied(config.get("borrowers", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.instalments: dict[str, Instalment] = _copied(config.get("instalments", {}))
        self.fees: dict[str, Fee] = _copied(config.get("fees", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.holidays: dict[str, Holiday] = _copied(config.get("holidays", {}))
        self.now: str = config.get("now", "2026-05-15T09:30")
        self.counters: dict[str, int] = {
            "product": len(self.products),
            "borrower": len(self.borrowers),
            "loan": len(self.loans),
            "instalment": len(self.instalments),
            "fee": len(self.fees),
            "payment": len(self.payments),
            "holiday": len(self.holidays),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._instalments_by_loan: dict[Any, dict[str, Instalment]] = {}
        self._fees_by_loan: dict[Any, dict[str, Fee]] = {}
        self._fees_by_loan_kind: dict[Any, dict[str, Fee]] = {}
        self._payments_by_loan_status: dict[Any, dict[str, Payment]] = {}
        self._holidays_by_loan_status: dict[Any, dict[str, Holiday]] = {}
        for instalment in self.instalments.values():
            self._link("instalments", instalment)
        for fee in self.fees.values():
            self._link("fees", fee)
        for payment in self.payments.values():
            self._link("payments", payment)
        for holiday in self.holidays.values():
            self._link("holidays", holiday)

    def arrears(
        self,
        at_least: Annotated[int, {"minimum": 1, "maximum": 12}] | None = None,
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Loans that are behind, the most instalments first.

        Args:
            at_least (int, optional): Fewest instalments that a listed loan is behind, from 1 to 12. If left out,
                loans one or more instalments behind are listed.
            product_id (str, optional): Product of the loans; an id such as PRODUCT-00001. If left out, loans of
                all products are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}} or {"success": False, "error": why
                not}
        """
        product = self.products.get(product_id) if product_id is not None else None
        if product_id is not None and product is None:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            l
            for l in self.loans.values()
            if self._loan_behind(l) >= (at_least if at_least is not None else 1)
            and (product_id is None or l["product_id"] == product_id)
        ]
        found.sort(key=lambda l: (-self._loan_behind(l), -self._loan_open(l), l["number"], _age(l)))
        return _found(
            {
                "total": len(found),
                "loans": [
                    {
                        "id": l["id"],
                        "number": l["number"],
                        "borrower": self.borrowers[l["borrower_id"]]["name"],
                        "behind": self._loan_behind(l),
                        "open": self._loan_open(l),
                        "stage": l["stage"],
                        "since": l["stage_since"],
                        "next_step": self._next_step(l),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def to_bill(
        self,
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Loans whose next instalment may be billed now, by due date.

        Args:
            product_id (str, optional): Product of the loans; an id such as PRODUCT-00001. If left out, loans of
                all products are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}} or {"success": False, "error": why
                not}
        """
        product = self.products.get(product_id) if product_id is not None else None
        if product_id is not None and product is None:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            l
            for l in self.loans.values()
            if (
                l["stage"] != "redeemed"
                and self._next_due(l) <= _plus_days(self.now[:10], 14)
                and l["balance"] > self._open_principal(l)
            )
            and (product_id is None or l["product_id"] == product_id)
        ]
        found.sort(key=lambda l: (self._next_due(l), l["number"], _age(l)))
        return _found(
            {
                "total": len(found),
                "loans": [
                    {
                        "id": l["id"],
                        "number": l["number"],
                        "due_on": self._next_due(l),
                        "on_holiday": self._rests(l, self._next_due(l)),
                        "interest": _rounded(
                            Fraction(l["balance"] * self.products[l["product_id"]]["rate_bp"], 120000)
                        ),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def statement(self, loan_id: str) -> Result:
        """What a loan owes today and what would settle it.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "data": {balance, fees, interest, principal, accrued, credit, settlement,
                next_due, holiday_months_left}} or {"success": False, "error": why not}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        return _found(
            {
                "balance": loan["balance"],
                "fees": self._fees_left(loan),
                "interest": self._open_interest(loan),
                "principal": self._open_principal(loan),
                "accrued": self._accrued(loan),
                "credit": loan["credit"],
                "settlement": self._loan_settlement(loan),
                "next_due": self._next_due(loan),
                "holiday_months_left": self._room(loan),
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
        return _found({"total": len(found), "products": [{**product} for product in _page(found, offset)]})

    def list_borrowers(
        self,
        name: Text | None = None,
        vulnerable: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the borrowers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only borrowers whose name contains this text.
            vulnerable (bool, optional): Only borrowers that are vulnerable (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "borrowers": records}}
        """
        found = [
            borrower
            for borrower in self.borrowers.values()
            if (name is None or name.casefold() in borrower["name"].casefold())
            and (vulnerable is None or borrower["vulnerable"] == vulnerable)
        ]
        return _found({"total": len(found), "borrowers": [{**borrower} for borrower in _page(found, offset)]})

    def get_loan(self, loan_id: str) -> Result:
        """Look up one loan by its id.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        shown = self._show_loan(loan)
        return _found(shown, self._names_of_loans([shown]))

    def list_loans(
        self,
        number: Text | None = None,
        borrower_id: str | None = None,
        product_id: str | None = None,
        stage: Literal["clear", "reminded", "redeemed", "demanded", "legal"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            number (str, optional): Only loans whose number contains this text.
            borrower_id (str, optional): Only loans of this borrower.
            product_id (str, optional): Only loans of this product.
            stage (str, optional): Only loans with this stage.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if borrower_id is not None and borrower_id not in self.borrowers:
            return _refused(f"There is no borrower {borrower_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (number is None or number.casefold() in loan["number"].casefold())
            and (borrower_id is None or loan["borrower_id"] == borrower_id)
            and (product_id is None or loan["product_id"] == product_id)
            and (stage is None or loan["stage"] == stage)
        ]
        shown = [self._show_loan(loan) for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def list_instalments(
        self,
        loan_id: str | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instalments, oldest first, all of them or only some.

        Args:
            loan_id (str, optional): Only instalments of this loan.
            due_on_from (str, optional): Only instalments whose `due_on` is on this day or later.
            due_on_to (str, optional): Only instalments whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instalments": records}}
        """
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        found = [
            instalment
            for instalment in self.instalments.values()
            if (loan_id is None or instalment["loan_id"] == loan_id)
            and (due_on_from is None or instalment["due_on"] >= due_on_from)
            and (due_on_to is None or instalment["due_on"] <= due_on_to)
        ]
        shown = [{**instalment} for instalment in _page(found, offset)]
        return _found({"total": len(found), "instalments": shown}, self._names_of_instalments(shown))

    def list_fees(
        self,
        loan_id: str | None = None,
        kind: Literal["late", "returned"] | None = None,
        waived: bool | None = None,
        charged_on_from: Date | None = None,
        charged_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fees, oldest first, all of them or only some.

        Args:
            loan_id (str, optional): Only fees of this loan.
            kind (str, optional): Only fees with this kind.
            waived (bool, optional): Only fees that are waived (true) or not (false).
            charged_on_from (str, optional): Only fees whose `charged_on` is on this day or later.
            charged_on_to (str, optional): Only fees whose `charged_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fees": records}}
        """
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        found = [
            fee
            for fee in self.fees.values()
            if (loan_id is None or fee["loan_id"] == loan_id)
            and (kind is None or fee["kind"] == kind)
            and (waived is None or fee["waived"] == waived)
            and (charged_on_from is None or fee["charged_on"] >= charged_on_from)
            and (charged_on_to is None or fee["charged_on"] <= charged_on_to)
        ]
        shown = [{**fee} for fee in _page(found, offset)]
        return _found({"total": len(found), "fees": shown}, self._names_of_fees(shown))

    def list_payments(
        self,
        loan_id: str | None = None,
        status: Literal["posted", "reversed"] | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            loan_id (str, optional): Only payments of this loan.
            status (str, optional): Only payments with this status.
            received_on_from (str, optional): Only payments whose `received_on` is on this day or later.
            received_on_to (str, optional): Only payments whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (loan_id is None or payment["loan_id"] == loan_id)
            and (status is None or payment["status"] == status)
            and (received_on_from is None or payment["received_on"] >= received_on_from)
            and (received_on_to is None or payment["received_on"] <= received_on_to)
        ]
        shown = [{**payment} for payment in _page(found, offset)]
        return _found({"total": len(found), "payments": shown}, self._names_of_payments(shown))

    def list_holidays(
        self,
        loan_id: str | None = None,
        status: Literal["asked", "granted", "refused"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holidays, oldest first, all of them or only some.

        Args:
            loan_id (str, optional): Only holidays of this loan.
            status (str, optional): Only holidays with this status.
            starts_from (str, optional): Only holidays whose `starts` is on this day or later.
            starts_to (str, optional): Only holidays whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holidays": records}}
        """
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        found = [
            holiday
            for holiday in self.holidays.values()
            if (loan_id is None or holiday["loan_id"] == loan_id)
            and (status is None or holiday["status"] == status)
            and (starts_from is None or holiday["starts"] >= starts_from)
            and (starts_to is None or holiday["starts"] <= starts_to)
        ]
        shown = [{**holiday} for holiday in _page(found, offset)]
        return _found({"total": len(found), "holidays": shown}, self._names_of_holidays(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def bill_instalment(self, loan_id: str) -> Result:
        """Bill the next monthly instalment of a loan, at most 14 days ahead; in a payment holiday nothing is due and
        the interest is added to the balance.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["stage"] == "redeemed":
            return _refused(f"Loan {loan['number']} is redeemed.")
        due = self._next_due(loan)
        if due > _plus_days(self.now[:10], 14):
            return _refused(
                f"The next instalment of {loan['number']} is due on {due} and is billed from {_plus_days(due, -14)}."
            )
        if loan["balance"] <= self._open_principal(loan):
            return _refused(f"All principal of {loan['number']} has been billed.")
        if loan["instalment"] <= _rounded(
            Fraction(loan["balance"] * self.products[loan["product_id"]]["rate_bp"], 120000)
        ):
            return _refused(f"{_money(loan['instalment'])} a month do not cover the interest of {loan['number']}.")
        self._journal = []
        changed_loans: list[Any] = []
        added_instalments: list[Any] = []
        interest = _rounded(Fraction(loan["balance"] * self.products[loan["product_id"]]["rate_bp"], 120000))
        if self._rests(loan, due):
            balance = loan["balance"] + interest
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {loan['number']} must be between 0.00 and 900,000.00.")
            changed_loans.append(loan)
            self._put("loans", loan, "balance", balance)
            instalment = {
                "id": self._new_id("instalment", "INSTALMENT", self.instalments),
                "loan_id": loan_id,
                "due_on": due,
                "interest": 0,
                "principal": 0,
                "paid_interest": 0,
                "paid_principal": 0,
            }
            self._add("instalments", instalment)
            added_instalments.append(instalment)
        else:
            if not 0 <= interest <= 900000:
                return self._take_back("The interest of an instalment must be between 0.00 and 9,000.00.")
            principal = min(loan["instalment"] - interest, loan["balance"] - self._open_principal(loan))
            if not 0 <= principal <= 900000:
                return self._take_back("The principal of an instalment must be between 0.00 and 9,000.00.")
            new_instalment = {
                "id": self._new_id("instalment", "INSTALMENT", self.instalments),
                "loan_id": loan_id,
                "due_on": due,
                "interest": interest,
                "principal": principal,
                "paid_interest": 0,
                "paid_principal": 0,
            }
            self._add("instalments", new_instalment)
            added_instalments.append(new_instalment)
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_2(one_instalment):
                return self._take_back(RULES[1])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_3(one_instalment):
                return self._take_back(RULES[2])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_4_a(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_4_b(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_5(one_instalment):
                return self._take_back(RULES[4])
        for one_loan in _distinct([*changed_loans, *[self.loans[one["loan_id"]] for one in added_instalments]]):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_loan in _distinct([*changed_loans, *[self.loans[one["loan_id"]] for one in added_instalments]]):
            if self._breaks_rule_12(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: bill the next instalment of {loan['number']}.",
            "data": self._changes(),
        }

    def post_payment(self, loan_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 50000000}]) -> Result:
        """Post a payment to a loan, with any credit on it, to fees first, then interest, then principal, oldest
        first; what is left over is kept as credit.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            amount (int): Amount received, less than what settles the whole loan, in cents, from 100 to 50000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["stage"] == "redeemed":
            return _refused(f"Loan {loan['number']} is redeemed.")
        if amount >= self._loan_settlement(loan):
            return _refused(
                f"{_money(amount)} would settle {loan['number']}; redeem the loan with "
                f"{_money(self._loan_settlement(loan))} instead."
            )
        self._journal = []
        changed_fees: list[Any] = []
        changed_instalments: list[Any] = []
        changed_instalments_2: list[Any] = []
        changed_loans: list[Any] = []
        changed_loans_2: list[Any] = []
        rest = amount + loan["credit"]
        for f in sorted(
            [f for f in self._fees_by_loan.get(loan_id, {}).values() if self._fee_left(f) > 0],
            key=lambda f: (f["charged_on"], _age(f)),
        ):
            part = min(rest, self._fee_left(f))
            paid = f["paid"] + part
            if not 0 <= paid <= 10000:
                return self._take_back(f"The paid of {f['id']} must be between 0.00 and 100.00.")
            changed_fees.append(f)
            self._put("fees", f, "paid", paid)
            rest = rest - part
        after_fees = rest
        for i in sorted(
            [i for i in self._instalments_by_loan.get(loan_id, {}).values() if i["paid_interest"] < i["interest"]],
            key=lambda i: (i["due_on"], _age(i)),
        ):
            part = min(rest, i["interest"] - i["paid_interest"])
            paid_interest = i["paid_interest"] + part
            if not 0 <= paid_interest <= 900000:
                return self._take_back(f"The paid interest of {i['id']} must be between 0.00 and 9,000.00.")
            changed_instalments.append(i)
            self._put("instalments", i, "paid_interest", paid_interest)
            rest = rest - part
        after_interest = rest
        for i in sorted(
            [i for i in self._instalments_by_loan.get(loan_id, {}).values() if i["paid_principal"] < i["principal"]],
            key=lambda i: (i["due_on"], _age(i)),
        ):
            part = min(rest, i["principal"] - i["paid_principal"])
            paid_principal = i["paid_principal"] + part
            if not 0 <= paid_principal <= 900000:
                return self._take_back(f"The paid principal of {i['id']} must be between 0.00 and 9,000.00.")
            changed_instalments_2.append(i)
            self._put("instalments", i, "paid_principal", paid_principal)
            balance = loan["balance"] - part
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {loan['number']} must be between 0.00 and 900,000.00.")
            changed_loans.append(loan)
            self._put("loans", loan, "balance", balance)
            rest = rest - part
        to_fees = amount + loan["credit"] - after_fees
        if not 0 <= to_fees <= 90000000:
            return self._take_back("The to fees of a payment must be between 0.00 and 900,000.00.")
        to_interest = after_fees - after_interest
        if not 0 <= to_interest <= 90000000:
            return self._take_back("The to interest of a payment must be between 0.00 and 900,000.00.")
        to_principal = after_interest - rest
        if not 0 <= to_principal <= 90000000:
            return self._take_back("The to principal of a payment must be between 0.00 and 900,000.00.")
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "loan_id": loan_id,
            "amount": amount,
            "received_on": self.now[:10],
            "to_fees": to_fees,
            "to_interest": to_interest,
            "to_principal": to_principal,
            "status": "posted",
        }
        self._add("payments", payment)
        if not 0 <= rest <= 90000000:
            return self._take_back(f"The credit of {loan['number']} must be between 0.00 and 900,000.00.")
        self._put("loans", loan, "credit", rest)
        if loan["stage"] in ("reminded", "demanded", "legal") and self._loan_behind(loan) == 0:
            if loan["stage"] not in ("clear", "reminded", "demanded", "legal"):
                return self._take_back(f"Loan {loan['number']} cannot go from {loan['stage']} to clear.")
            changed_loans_2.append(loan)
            self._put("loans", loan, "stage", "clear")
            self._put("loans", loan, "stage_since", self.now[:10])
        for one_fee in _distinct(changed_fees):
            if self._breaks_rule_1(one_fee):
                return self._take_back(RULES[0])
        for one_instalment in _distinct([*changed_instalments, *changed_instalments_2]):
            if self._breaks_rule_3(one_instalment):
                return self._take_back(RULES[2])
        for one_instalment in _distinct(changed_instalments):
            if self._breaks_rule_4_a(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct(changed_instalments):
            if self._breaks_rule_4_b(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct([*changed_instalments, *changed_instalments_2]):
            if self._breaks_rule_5(one_instalment):
                return self._take_back(RULES[4])
        for one_loan in _distinct([*[self.loans[one["loan_id"]] for one in changed_instalments_2], *changed_loans]):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_loan in _distinct(changed_loans_2):
            if self._breaks_rule_11(one_loan):
                return self._take_back(RULES[10])
        for one_loan in _distinct(
            [
                loan,
                *[self.loans[one["loan_id"]] for one in changed_fees],
                *[self.loans[one["loan_id"]] for one in changed_instalments],
                *[self.loans[one["loan_id"]] for one in changed_instalments_2],
                *changed_loans,
                *changed_loans_2,
            ]
        ):
            if self._breaks_rule_12(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: post {_money(amount)} to {loan['number']} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def reverse_payment(self, payment_id: str, charged: bool = True) -> Result:
        """Reverse the latest payment of a loan, as when a debit is returned within 56 days; the fee of the product is
        charged unless that is left out.

        Args:
            payment_id (str): Id of the payment, such as PAYMENT-00001.
            charged (bool): Whether the borrower is charged the fee for a returned payment. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        payment = self.payments.get(payment_id)
        if payment is None:
            return _refused(f"There is no payment {payment_id!r}.")
        if payment["status"] != "posted":
            return _refused(f"The payment of {_money(payment['amount'])} is {payment['status']}.")
        loan = self.loans[payment["loan_id"]]
        if loan["stage"] == "redeemed":
            return _refused(f"Loan {loan['number']} is redeemed.")
        if _plus_days(payment["received_on"], 56) < self.now[:10]:
            return _refused(f"A payment of {payment['received_on']} can no longer be returned.")
        latest = self._last_payment(loan)
        if latest is not None and latest is not payment:
            return _refused(
                f"{_money(latest['amount'])} were posted to {loan['number']} after it, on "
                f"{latest['received_on']}; reverse that payment first."
            )
        kept = payment["amount"] - payment["to_fees"] - payment["to_interest"] - payment["to_principal"]
        if loan["credit"] < kept:
            return _refused(
                f"Only {_money(loan['credit'])} of the credit of {_money(kept)} are left on {loan['number']}."
            )
        self._journal = []
        changed_instalments: list[Any] = []
        changed_loans: list[Any] = []
        changed_instalments_2: list[Any] = []
        changed_fees: list[Any] = []
        added_fees: list[Any] = []
        principal = payment["to_principal"]
        for i in sorted(
            [i for i in self._instalments_by_loan.get(loan["id"], {}).values() if i["paid_principal"] > 0],
            key=lambda i: (_descending(i["due_on"]), _age(i)),
        ):
            part = min(principal, i["paid_principal"])
            paid_principal = i["paid_principal"] - part
            if not 0 <= paid_principal <= 900000:
                return self._take_back(f"The paid principal of {i['id']} must be between 0.00 and 9,000.00.")
            changed_instalments.append(i)
            self._put("instalments", i, "paid_principal", paid_principal)
            balance = loan["balance"] + part
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {loan['number']} must be between 0.00 and 900,000.00.")
            changed_loans.append(loan)
            self._put("loans", loan, "balance", balance)
            principal = principal - part
        interest = payment["to_interest"]
        for i in sorted(
            [i for i in self._instalments_by_loan.get(loan["id"], {}).values() if i["paid_interest"] > 0],
            key=lambda i: (_descending(i["due_on"]), _age(i)),
        ):
            part = min(interest, i["paid_interest"])
            paid_interest = i["paid_interest"] - part
            if not 0 <= paid_interest <= 900000:
                return self._take_back(f"The paid interest of {i['id']} must be between 0.00 and 9,000.00.")
            changed_instalments_2.append(i)
            self._put("instalments", i, "paid_interest", paid_interest)
            interest = interest - part
        fees = payment["to_fees"]
        for f in sorted(
            [f for f in self._fees_by_loan.get(loan["id"], {}).values() if f["paid"] > 0],
            key=lambda f: (_descending(f["charged_on"]), _descending(f["id"]), _age(f)),
        ):
            part = min(fees, f["paid"])
            paid = f["paid"] - part
            if not 0 <= paid <= 10000:
                return self._take_back(f"The paid of {f['id']} must be between 0.00 and 100.00.")
            changed_fees.append(f)
            self._put("fees", f, "paid", paid)
            fees = fees - part
        credit = loan["credit"] - kept
        if not 0 <= credit <= 90000000:
            return self._take_back(f"The credit of {loan['number']} must be between 0.00 and 900,000.00.")
        self._put("loans", loan, "credit", credit)
        self._put("payments", payment, "status", "reversed")
        if charged:
            fee = {
                "id": self._new_id("fee", "FEE", self.fees),
                "loan_id": loan["id"],
                "kind": "returned",
                "amount": self.products[loan["product_id"]]["fee"],
                "charged_on": self.now[:10],
                "paid": 0,
                "waived": False,
            }
            self._add("fees", fee)
            added_fees.append(fee)
        for one_fee in _distinct([*changed_fees, *added_fees]):
            if self._breaks_rule_1(one_fee):
                return self._take_back(RULES[0])
        for one_instalment in _distinct([*changed_instalments, *changed_instalments_2]):
            if self._breaks_rule_3(one_instalment):
                return self._take_back(RULES[2])
        for one_instalment in _distinct(changed_instalments_2):
            if self._breaks_rule_4_a(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct(changed_instalments_2):
            if self._breaks_rule_4_b(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct([*changed_instalments, *changed_instalments_2]):
            if self._breaks_rule_5(one_instalment):
                return self._take_back(RULES[4])
        for one_loan in _distinct([*[self.loans[one["loan_id"]] for one in changed_instalments], *changed_loans]):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        for one_fee in _distinct(added_fees):
            if self._breaks_rule_7(one_fee):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                loan,
                *[self.loans[one["loan_id"]] for one in changed_instalments],
                *changed_loans,
                *[self.loans[one["loan_id"]] for one in changed_instalments_2],
                *[self.loans[one["loan_id"]] for one in changed_fees],
                *[self.loans[one["loan_id"]] for one in added_fees],
            ]
        ):
            if self._breaks_rule_12(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: reverse the payment of {_money(payment['amount'])} on "
                f"{self.loans[payment['loan_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def charge_late_fee(self, loan_id: str) -> Result:
        """Charge the late fee of the product, at most once a month, when an instalment is more than ten days overdue.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if not any(
            _plus_days(i["due_on"], 10) < self.now[:10]
            for i in self._instalments_by_loan.get(loan_id, {}).values()
            if i["paid_interest"] + i["paid_principal"] < i["interest"] + i["principal"]
        ):
            return _refused(f"No instalment of {loan['number']} is more than ten days overdue.")
        if self.borrowers[loan["borrower_id"]]["vulnerable"]:
            return _refused(
                f"{self.borrowers[loan['borrower_id']]['name']} is a vulnerable borrower and pays no late fees."
            )
        if any(
            f["charged_on"][:8] + "01" == self.now[:10][:8] + "01"
            for f in self._fees_by_loan_kind.get((loan_id, "late"), {}).values()
        ):
            return _refused(f"{loan['number']} has a late fee for this month already.")
        self._journal = []
        fee: Fee = {
            "id": self._new_id("fee", "FEE", self.fees),
            "loan_id": loan_id,
            "kind": "late",
            "amount": self.products[loan["product_id"]]["fee"],
            "charged_on": self.now[:10],
            "paid": 0,
            "waived": False,
        }
        self._add("fees", fee)
        if self._breaks_rule_1(fee):
            return self._take_back(RULES[0])
        if self._breaks_rule_7(fee):
            return self._take_back(RULES[6])
        if self._breaks_rule_12(self.loans[fee["loan_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: charge {loan['number']} a late fee (new: fee {fee['id']}).",
            "data": {"fee_id": fee["id"], **self._changes()},
        }

    def waive_fee(self, fee_id: str) -> Result:
        """Waive what is left of a fee.

        Args:
            fee_id (str): Id of the fee, such as FEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fee = self.fees.get(fee_id)
        if fee is None:
            return _refused(f"There is no fee {fee_id!r}.")
        if fee["waived"]:
            return _refused(
                f"The fee of {_money(fee['amount'])} on {self.loans[fee['loan_id']]['number']} is waived already."
            )
        if fee["paid"] >= fee["amount"]:
            return _refused(f"The fee of {_money(fee['amount'])} on {self.loans[fee['loan_id']]['number']} is paid.")
        self._journal = []
        self._put("fees", fee, "waived", True)
        if self._breaks_rule_12(self.loans[fee["loan_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: waive the fee of {fee['charged_on']} on {self.loans[fee['loan_id']]['number']}.",
            "data": self._changes(),
        }

    def take_arrears_step(self, loan_id: str, step: Literal["reminded", "demanded", "legal"]) -> Result:
        """Take the next step against arrears, a reminder, then after 14 days a formal demand, then after 28 days the
        lawyers; for one, two and three instalments behind.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            step (str): Step that follows the present stage of the loan: reminded, demanded or legal.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["stage"] == "redeemed":
            return _refused(f"Loan {loan['number']} is redeemed.")
        if loan["stage"] == "legal":
            return _refused(f"{loan['number']} is with the lawyers already.")
        if step != self._next_step(loan):
            return _refused(f"{loan['number']} is {loan['stage']}, so the next step is {self._next_step(loan)}.")
        if self._loan_behind(loan) < self._needed(loan):
            return _refused(
                f"{loan['number']} is {self._loan_behind(loan)} instalments behind and this step needs "
                f"{self._needed(loan)}."
            )
        if not self._waited(loan):
            return _refused(f"{loan['number']} has been {loan['stage']} for too short a time.")
        if step == "legal" and self.borrowers[loan["borrower_id"]]["vulnerable"]:
            return _refused(
                f"{self.borrowers[loan['borrower_id']]['name']} is a vulnerable borrower and is not handed to the "
                "lawyers."
            )
        if not (step != "legal" or not self._holidays_by_loan_status.get((loan_id, "asked"), {})):
            return _refused(f"Decide about the holiday request of {loan['number']} first.")
        self._journal = []
        if loan["stage"] != step and (loan["stage"], step) not in LOAN_STAGE_MOVES:
            return self._take_back(f"Loan {loan['number']} cannot go from {loan['stage']} to {step}.")
        self._put("loans", loan, "stage", step)
        self._put("loans", loan, "stage_since", self.now[:10])
        if self._breaks_rule_11(loan):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(loan):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: note that {loan['number']} was {step}.", "data": self._changes()}

    def ask_holiday(
        self,
        loan_id: str,
        starts: Date,
        months: Annotated[int, {"minimum": 1, "maximum": 12}],
    ) -> Result:
        """Record a borrower's request for a payment holiday of some months.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            starts (str): First day of the holiday, within 120 days from today, as YYYY-MM-DD.
            months (int): Length of the holiday in months, from 1 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["stage"] == "redeemed":
            return _refused(f"Loan {loan['number']} is redeemed.")
        if self.now[:10] > starts or starts > _plus_days(self.now[:10], 120):
            return _refused(f"A holiday begins between {self.now[:10]} and {_plus_days(self.now[:10], 120)}.")
        if self._holidays_by_loan_status.get((loan_id, "asked"), {}):
            return _refused(f"A request for {loan['number']} waits for a decision already.")
        self._journal = []
        holiday: Holiday = {
            "id": self._new_id("holiday", "HOLIDAY", self.holidays),
            "loan_id": loan_id,
            "starts": starts,
            "months": months,
            "status": "asked",
        }
        self._add("holidays", holiday)
        if self._breaks_rule_8(self.loans[holiday["loan_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(holiday):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(holiday):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record the request of {loan['number']} for {months} months from {starts} (new: holiday "
                f"{holiday['id']})."
            ),
            "data": {"holiday_id": holiday["id"], **self._changes()},
        }

    def grant_holiday(self, holiday_id: str) -> Result:
        """Grant a payment holiday to a loan that is not behind.

        Args:
            holiday_id (str): Id of the holiday, such as HOLIDAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        holiday = self.holidays.get(holiday_id)
        if holiday is None:
            return _refused(f"There is no holiday {holiday_id!r}.")
        if holiday["status"] != "asked":
            return _refused(f"The request is {holiday['status']}.")
        loan = self.loans[holiday["loan_id"]]
        if self._loan_behind(loan) != 0:
            return _refused(f"{loan['number']} is {self._loan_behind(loan)} instalments behind.")
        if self._fees_left(loan) != 0:
            return _refused(f"{loan['number']} has {_money(self._fees_left(loan))} of fees open.")
        if holiday["starts"] < self.now[:10]:
            return _refused(f"{holiday['starts']} has passed, so refuse it and record a new request.")
        if holiday["months"] > self._room(loan):
            return _refused(
                f"{self.products[loan['product_id']]['name']} leaves {self._room(loan)} months for "
                f"{loan['number']}, not {holiday['months']}."
            )
        other = next(
            (
                h
                for h in sorted(self._holidays_by_loan_status.get((loan["id"], "granted"), {}).values(), key=_age)
                if _overlap(
                    h["starts"],
                    _add_months(h["starts"], h["months"]),
                    holiday["starts"],
                    _add_months(holiday["starts"], holiday["months"]),
                )
            ),
            None,
        )
        if other is not None:
            return _refused(f"{loan['number']} has a holiday from {other['starts']} for {other['months']} months.")
        self._journal = []
        self._put("holidays", holiday, "status", "granted")
        if self._breaks_rule_8(self.loans[holiday["loan_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(holiday):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(holiday):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: grant {self.loans[holiday['loan_id']]['number']} a holiday of {holiday['months']} months."
            ),
            "data": self._changes(),
        }

    def refuse_holiday(self, holiday_id: str) -> Result:
        """Refuse a request for a payment holiday.

        Args:
            holiday_id (str): Id of the holiday, such as HOLIDAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        holiday = self.holidays.get(holiday_id)
        if holiday is None:
            return _refused(f"There is no holiday {holiday_id!r}.")
        if holiday["status"] != "asked":
            return _refused(f"The request is {holiday['status']}.")
        self._journal = []
        self._put("holidays", holiday, "status", "refused")
        if self._breaks_rule_8(self.loans[holiday["loan_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(holiday):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(holiday):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: refuse {self.loans[holiday['loan_id']]['number']} the holiday from {holiday['starts']}."
            ),
            "data": self._changes(),
        }

    def pay_down(self, loan_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 50000000}]) -> Result:
        """Use the credit on a loan to pay its balance down, when nothing that was billed is open.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            amount (int): Part of the credit to use, at most a tenth of the balance, in cents, from 100 to
                50000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if self._loan_open(loan) != 0:
            return _refused(f"{loan['number']} has {_money(self._loan_open(loan))} open, which is paid first.")
        if amount > loan["credit"]:
            return _refused(f"{loan['number']} has a credit of {_money(loan['credit'])}, not {_money(amount)}.")
        if amount * 10 > loan["balance"]:
            return _refused(f"At most a tenth of {_money(loan['balance'])} is paid down at a time.")
        self._journal = []
        credit = loan["credit"] - amount
        if not 0 <= credit <= 90000000:
            return self._take_back(f"The credit of {loan['number']} must be between 0.00 and 900,000.00.")
        self._put("loans", loan, "credit", credit)
        balance = loan["balance"] - amount
        if not 0 <= balance <= 90000000:
            return self._take_back(f"The balance of {loan['number']} must be between 0.00 and 900,000.00.")
        self._put("loans", loan, "balance", balance)
        if self._breaks_rule_6(loan):
            return self._take_back(RULES[5])
        if self._breaks_rule_12(loan):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: pay {loan['number']} down by {_money(amount)}.",
            "data": self._changes(),
        }

    def redeem_loan(self, loan_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 90000000}]) -> Result:
        """Redeem a loan with exactly what settles it, that is the balance, open interest, the interest by the day
        since the last due date and fees, less the credit.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            amount (int): Amount received, exactly what settles the loan today, in cents, from 1 to 90000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["stage"] == "redeemed":
            return _refused(f"Loan {loan['number']} is redeemed.")
        if self._holidays_by_loan_status.get((loan_id, "asked"), {}):
            return _refused(f"Decide about the holiday request of {loan['number']} first.")
        if amount != self._loan_settlement(loan):
            return _refused(
                f"{loan['number']} is settled with {_money(self._loan_settlement(loan))}, not {_money(amount)}."
            )
        self._journal = []
        changed_fees: list[Any] = []
        changed_instalments: list[Any] = []
        changed_instalments_2: list[Any] = []
        to_fees = self._fees_left(loan)
        if not 0 <= to_fees <= 90000000:
            return self._take_back("The to fees of a payment must be between 0.00 and 900,000.00.")
        to_interest = self._open_interest(loan) + self._accrued(loan)
        if not 0 <= to_interest <= 90000000:
            return self._take_back("The to interest of a payment must be between 0.00 and 900,000.00.")
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "loan_id": loan_id,
            "amount": amount,
            "received_on": self.now[:10],
            "to_fees": to_fees,
            "to_interest": to_interest,
            "to_principal": loan["balance"],
            "status": "posted",
        }
        self._add("payments", payment)
        for f in [f for f in sorted(self._fees_by_loan.get(loan_id, {}).values(), key=_age) if self._fee_left(f) > 0]:
            changed_fees.append(f)
            self._put("fees", f, "paid", f["amount"])
        for i in sorted(self._instalments_by_loan.get(loan_id, {}).values(), key=_age):
            changed_instalments.append(i)
            self._put("instalments", i, "paid_interest", i["interest"])
            changed_instalments_2.append(i)
            self._put("instalments", i, "paid_principal", i["principal"])
        self._put("loans", loan, "balance", 0)
        self._put("loans", loan, "credit", 0)
        self._put("loans", loan, "stage", "redeemed")
        self._put("loans", loan, "stage_since", self.now[:10])
        for one_fee in _distinct(changed_fees):
            if self._breaks_rule_1(one_fee):
                return self._take_back(RULES[0])
        for one_instalment in _distinct([*changed_instalments, *changed_instalments_2]):
            if self._breaks_rule_3(one_instalment):
                return self._take_back(RULES[2])
        for one_instalment in _distinct(changed_instalments):
            if self._breaks_rule_4_a(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct(changed_instalments):
            if self._breaks_rule_4_b(one_instalment):
                return self._take_back(RULES[3])
        for one_instalment in _distinct([*changed_instalments, *changed_instalments_2]):
            if self._breaks_rule_5(one_instalment):
                return self._take_back(RULES[4])
        for one_loan in _distinct([loan, *[self.loans[one["loan_id"]] for one in changed_instalments_2]]):
            if self._breaks_rule_6(one_loan):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(loan):
            return self._take_back(RULES[10])
        for one_loan in _distinct(
            [
                loan,
                *[self.loans[one["loan_id"]] for one in changed_fees],
                *[self.loans[one["loan_id"]] for one in changed_instalments],
                *[self.loans[one["loan_id"]] for one in changed_instalments_2],
            ]
        ):
            if self._breaks_rule_12(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: redeem {loan['number']} with {_money(amount)} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def _show_loan(self, loan: Loan) -> dict[str, Any]:
        """The loan as an answer shows it."""
        return {
            **loan,
            "open": self._loan_open(loan),
            "behind": self._loan_behind(loan),
            "settlement": self._loan_settlement(loan),
        }

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.borrowers, "name", [row["borrower_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
        )

    def _names_of_instalments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instalments point to."""
        return _names((self.loans, "number", [row["loan_id"] for row in shown]))

    def _names_of_fees(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fees point to."""
        return _names((self.loans, "number", [row["loan_id"] for row in shown]))

    def _names_of_payments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payments point to."""
        return _names((self.loans, "number", [row["loan_id"] for row in shown]))

    def _names_of_holidays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holidays point to."""
        return _names((self.loans, "number", [row["loan_id"] for row in shown]))

    def _loan_open(self, loan: Loan) -> int:
        """The open of a loan."""
        return self._fees_left(loan) + self._open_interest(loan) + self._open_principal(loan)

    def _loan_behind(self, loan: Loan) -> int:
        """The behind of a loan."""
        return sum(
            1
            for i in self._instalments_by_loan.get(loan["id"], {}).values()
            if i["due_on"] < self.now[:10]
            and i["paid_interest"] + i["paid_principal"] < i["interest"] + i["principal"]
        )

    def _loan_settlement(self, loan: Loan) -> int:
        """The settlement of a loan."""
        return (
            loan["balance"]
            + self._open_interest(loan)
            + self._accrued(loan)
            + self._fees_left(loan)
            - loan["credit"]
        )

    def _fee_left(self, f: Fee) -> int:
        return f["amount"] - f["paid"] if not f["waived"] else f["paid"] - f["paid"]

    def _fees_left(self, l: Loan) -> int:
        return sum(self._fee_left(f) for f in self._fees_by_loan.get(l["id"], {}).values())

    def _open_interest(self, l: Loan) -> int:
        return sum(i["interest"] - i["paid_interest"] for i in self._instalments_by_loan.get(l["id"], {}).values())

    def _open_principal(self, l: Loan) -> int:
        return sum(i["principal"] - i["paid_principal"] for i in self._instalments_by_loan.get(l["id"], {}).values())

    def _last_due(self, l: Loan) -> str:
        return (
            max((i["due_on"] for i in self._instalments_by_loan.get(l["id"], {}).values()), default=None)
            if max(
                (i["due_on"] for i in self._instalments_by_loan.get(l["id"], {}).values()),
                default=None,
            ) is not None
            else self.now[:10]
        )

    def _accrued(self, l: Loan) -> int:
        return (
            _rounded(
                Fraction(
                    l["balance"] * self.products[l["product_id"]]["rate_bp"] * max(
                        0,
                        _days_between(self._last_due(l), self.now[:10]),
                    ),
                    3650000,
                )
            )
            if l["stage"] != "redeemed"
            else l["balance"] - l["balance"]
        )

    def _next_due(self, l: Loan) -> str:
        return _add_months(
            max(
                (i["due_on"] for i in self._instalments_by_loan.get(l["id"], {}).values()),
                default=None,
            ) if max(
                (i["due_on"] for i in self._instalments_by_loan.get(l["id"], {}).values()),
                default=None,
            ) is not None else self.now[:10],
            1,
        )

    def _rests(self, l: Loan, d: str) -> bool:
        return any(
            h["starts"] <= d
            and d < _add_months(h["starts"], h["months"])
            for h in self._holidays_by_loan_status.get((l["id"], "granted"), {}).values()
        )

    def _months_granted(self, l: Loan) -> int:
        return sum(h["months"] for h in self._holidays_by_loan_status.get((l["id"], "granted"), {}).values())

    def _room(self, l: Loan) -> int:
        return self.products[l["product_id"]]["holiday_months"] - self._months_granted(l)

    def _last_payment(self, l: Loan) -> Payment | None:
        return min(
            self._payments_by_loan_status.get((l["id"], "posted"), {}).values(),
            key=lambda p: (_descending(p["id"]), _age(p)),
            default=None,
        )

    def _next_step(self, l: Loan) -> str:
        return "reminded" if l["stage"] == "clear" else "demanded" if l["stage"] == "reminded" else "legal"

    def _waited(self, l: Loan) -> bool:
        return (
            l["stage"] == "clear"
            or l["stage_since"] is None
            or _plus_days(l["stage_since"], 14 if l["stage"] == "reminded" else 28) <= self.now[:10]
        )

    def _needed(self, l: Loan) -> int:
        return 1 if l["stage"] == "clear" else 2 if l["stage"] == "reminded" else 3

    def _breaks_rule_1(self, f: Fee) -> bool:
        """Whether this is broken: a fee is never paid above its amount."""
        return f["paid"] > f["amount"]

    def _breaks_rule_2(self, i: Instalment) -> bool:
        """Whether this is broken: a loan is billed once for each due date."""
        return any(
            other_i is not i
            for other_i in self._instalments_by_loan.get(i["loan_id"], {}).values()
            if other_i["due_on"] == i["due_on"]
        )

    def _breaks_rule_3(self, i: Instalment) -> bool:
        """Whether this is broken: nobody pays more interest or principal on an instalment than was billed."""
        return i["paid_interest"] > i["interest"] or i["paid_principal"] > i["principal"]

    def _breaks_rule_4_a(self, a: Instalment) -> bool:
        """Whether this is broken: interest of an older instalment is paid before that of a newer one."""
        return any(
            a["paid_interest"] != a["interest"]
            and b["paid_interest"] != 0
            for b in self._instalments_by_loan.get(a["loan_id"], {}).values()
            if a["due_on"] < b["due_on"]
        )

    def _breaks_rule_4_b(self, b: Instalment) -> bool:
        """Whether this is broken: interest of an older instalment is paid before that of a newer one."""
        return any(
            a["paid_interest"] != a["interest"]
            and b["paid_interest"] != 0
            for a in self._instalments_by_loan.get(b["loan_id"], {}).values()
            if a["due_on"] < b["due_on"]
        )

    def _breaks_rule_5(self, i: Instalment) -> bool:
        """Whether this is broken: principal of an instalment is paid only when its interest is."""
        return i["paid_principal"] != 0 and i["paid_interest"] != i["interest"]

    def _breaks_rule_6(self, l: Loan) -> bool:
        """Whether this is broken: the principal that was billed and not paid is part of the balance."""
        return self._open_principal(l) > l["balance"]

    def _breaks_rule_7(self, f: Fee) -> bool:
        """Whether this is broken: a loan has at most one late fee a month."""
        return (
            f["kind"] == "late"
            and any(
                other_f is not f
                for other_f in self._fees_by_loan_kind.get((f["loan_id"], "late"), {}).values()
                if other_f["charged_on"][:8] + "01" == f["charged_on"][:8] + "01"
            )
        )

    def _breaks_rule_8(self, l: Loan) -> bool:
        """Whether this is broken: the payment holidays of a loan never exceed what its product allows."""
        return self._months_granted(l) > self.products[l["product_id"]]["holiday_months"]

    def _breaks_rule_9(self, a: Holiday) -> bool:
        """Whether this is broken: two payment holidays of a loan never overlap."""
        return (
            a["status"] == "granted"
            and any(
                _overlap(
                    a["starts"],
                    _add_months(a["starts"], a["months"]),
                    b["starts"],
                    _add_months(b["starts"], b["months"]),
                )
                for b in self._holidays_by_loan_status.get((a["loan_id"], "granted"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_10(self, h: Holiday) -> bool:
        """Whether this is broken: a loan has at most one holiday request that is not decided."""
        return (
            h["status"] == "asked"
            and any(
                other_h is not h
                for other_h in self._holidays_by_loan_status.get((h["loan_id"], "asked"), {}).values()
            )
        )

    def _breaks_rule_11(self, l: Loan) -> bool:
        """Whether this is broken: a vulnerable borrower is not handed to the lawyers."""
        return l["stage"] == "legal" and self.borrowers[l["borrower_id"]]["vulnerable"]

    def _breaks_rule_12(self, l: Loan) -> bool:
        """Whether this is broken: a redeemed loan owes nothing and holds no credit."""
        return not (l["stage"] != "redeemed" or l["balance"] == 0 and l["credit"] == 0 and self._loan_open(l) == 0)

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
            case "instalments":
                self._instalments_by_loan.setdefault(record["loan_id"], {})[record["id"]] = record
            case "fees":
                self._fees_by_loan.setdefault(record["loan_id"], {})[record["id"]] = record
                self._fees_by_loan_kind.setdefault((record["loan_id"], record["kind"]), {})[record["id"]] = record
            case "payments":
                self._payments_by_loan_status.setdefault((record["loan_id"], record["status"]), {})[record["id"]] = record
            case "holidays":
                self._holidays_by_loan_status.setdefault((record["loan_id"], record["status"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "instalments":
                del self._instalments_by_loan[record["loan_id"]][record["id"]]
            case "fees":
                del self._fees_by_loan[record["loan_id"]][record["id"]]
                del self._fees_by_loan_kind[record["loan_id"], record["kind"]][record["id"]]
            case "payments":
                del self._payments_by_loan_status[record["loan_id"], record["status"]][record["id"]]
            case "holidays":
                del self._holidays_by_loan_status[record["loan_id"], record["status"]][record["id"]]
