"""Payment disputes. Compiled from blueprint.yaml; run `envscaler build payment_disputes` after changing it there.

Handles chargebacks for merchants, with evidence and deadlines, representment, arbitration at a fee, refunds and
the reserves that merchants leave as security.
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
    "Refunds and disputed amounts are never more than the sale.",
    "A sale has one dispute under way at a time.",
    "A dispute has a reason of the card scheme with which was paid.",
    "Only disputes with all the evidence that their reason asks for are represented.",
    "A dispute has one piece of evidence of each kind, and only kinds its reason asks for.",
    "An analyst never has more cases under way than they can handle.",
    "The reserve of a merchant covers its percentage of what is disputed.",
    "A dispute falls due after it was opened.",
    "Only what is worth more than the fee goes to arbitration.",
    "A dispute is raised within 120 days of the sale.",
    "A case in arbitration has been charged the fee of the scheme.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_dispute",
    "add_evidence",
    "hand_over",
    "represent",
    "accept_dispute",
    "lapse_dispute",
    "record_answer",
    "go_to_arbitration",
    "record_ruling",
    "refund_sale",
    "set_reserve",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "schemes": ("name",),
    "reasons": ("title",),
    "merchants": ("name",),
    "sales": ("number",),
    "analysts": ("name",),
    "disputes": ("code",),
    "evidences": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("disputes", "analyst_id"),
    ("disputes", "code"),
    ("disputes", "reason_id"),
    ("disputes", "sale_id"),
    ("disputes", "stage"),
    ("evidences", "dispute_id"),
    ("evidences", "kind"),
    ("sales", "merchant_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Scheme(TypedDict):
    id: str
    name: str
    dispute_fee: int
    arbitration_fee: int


class Reason(TypedDict):
    id: str
    title: str
    scheme_id: str
    days: int
    needs: list[Literal["receipt", "delivery", "signature", "correspondence", "terms", "usage_log"]]


class Merchant(TypedDict):
    id: str
    name: str
    percent: int
    balance: int
    reserve: int


class Sale(TypedDict):
    id: str
    number: str
    merchant_id: str
    scheme_id: str
    sold_on: str
    amount: int
    refunded: int


class Analyst(TypedDict):
    id: str
    name: str
    most: int


class Dispute(TypedDict):
    id: str
    code: str
    sale_id: str
    reason_id: str
    amount: int
    analyst_id: str
    opened_on: str
    due_on: str
    fees: int
    stage: Literal["open", "accepted", "represented", "lapsed", "won", "escalated", "arbitration", "lost"]


class Evidence(TypedDict):
    id: str
    dispute_id: str
    kind: Literal["receipt", "delivery", "signature", "correspondence", "terms", "usage_log"]
    file: str
    added_on: str


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class PaymentDisputes:
    """Handles chargebacks for merchants, with evidence and deadlines, representment, arbitration at a fee,
    refunds and the reserves that merchants leave as security.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.schemes: dict[str, Scheme] = _copied(config.get("schemes", {}))
        self.reasons: dict[str, Reason] = _copied(config.get("reasons", {}))
        self.merchants: dict[str, Merchant] = _copied(config.get("merchants", {}))
        self.sales: dict[str, Sale] = _copied(config.get("sales", {}))
        self.analysts: dict[str, Analyst] = _copied(config.get("analysts", {}))
        self.disputes: dict[str, Dispute] = _copied(config.get("disputes", {}))
        self.evidences: dict[str, Evidence] = _copied(config.get("evidences", {}))
        self.now: str = config.get("now", "2026-09-10T09:00")
        self.counters: dict[str, int] = {
            "scheme": len(self.schemes),
            "reason": len(self.reasons),
            "merchant": len(self.merchants),
            "sale": len(self.sales),
            "analyst": len(self.analysts),
            "dispute": len(self.disputes),
            "evidence": len(self.evidences),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sales_by_merchant: dict[Any, dict[str, Sale]] = {}
        self._disputes_by_analyst: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_code: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_sale: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_sale_reason_stage: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_sale_stage: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_stage: dict[Any, dict[str, Dispute]] = {}
        self._evidences_by_dispute: dict[Any, dict[str, Evidence]] = {}
        self._evidences_by_dispute_kind: dict[Any, dict[str, Evidence]] = {}
        for sale in self.sales.values():
            self._link("sales", sale)
        for dispute in self.disputes.values():
            self._link("disputes", dispute)
        for evidence in self.evidences.values():
            self._link("evidences", evidence)

    def deadlines(
        self,
        until: Date | None = None,
        analyst_id: str | None = None,
        merchant_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open and escalated disputes by deadline, with what is still missing.

        Args:
            until (str, optional): Last deadline to include, as YYYY-MM-DD. If left out, disputes with any deadline
                are listed.
            analyst_id (str, optional): Analyst who handles the disputes; an id such as ANALYST-00001. If left out,
                those of all analysts are listed.
            merchant_id (str, optional): Merchant whose disputes are listed; an id such as MERCHANT-00001. If left
                out, those of all merchants are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disputes": records}} or {"success": False, "error": why
                not}
        """
        analyst = self.analysts.get(analyst_id) if analyst_id is not None else None
        if analyst_id is not None and analyst is None:
            return _refused(f"There is no analyst {analyst_id!r}.")
        merchant = self.merchants.get(merchant_id) if merchant_id is not None else None
        if merchant_id is not None and merchant is None:
            return _refused(f"There is no merchant {merchant_id!r}.")
        found = [
            d
            for d in self.disputes.values()
            if d["stage"] in ("open", "escalated")
            and (until is None or d["due_on"] <= until)
            and (analyst_id is None or d["analyst_id"] == analyst_id)
            and (merchant_id is None or self.sales[d["sale_id"]]["merchant_id"] == merchant_id)
        ]
        found.sort(key=lambda d: (d["due_on"], d["code"], _age(d)))
        return _found(
            {
                "total": len(found),
                "disputes": [
                    {
                        "id": d["id"],
                        "code": d["code"],
                        "merchant": self.merchants[self.sales[d["sale_id"]]["merchant_id"]]["name"],
                        "stage": d["stage"],
                        "amount": d["amount"],
                        "due_on": d["due_on"],
                        "missing": [*self._dispute_missing(d)],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def standing(self, merchant_id: str) -> Result:
        """How a merchant stands, with exposure, reserve and results so far.

        Args:
            merchant_id (str): Id of the merchant, such as MERCHANT-00001.

        Returns:
            dict: {"success": True, "data": {balance, reserve, exposure, required, won, given_up, fees}} or
                {"success": False, "error": why not}
        """
        merchant = self.merchants.get(merchant_id)
        if merchant is None:
            return _refused(f"There is no merchant {merchant_id!r}.")
        return _found(
            {
                "balance": merchant["balance"],
                "reserve": merchant["reserve"],
                "exposure": self._merchant_exposure(merchant),
                "required": self._required(merchant, merchant["percent"]),
                "won": len(
                    [
                        d
                        for _sale in self._sales_by_merchant.get(merchant_id, {}).values()
                        for d in self._disputes_by_sale_stage.get((_sale["id"], "won"), {}).values()
                    ]
                ),
                "given_up": sum(
                    1
                    for _sale in self._sales_by_merchant.get(merchant_id, {}).values()
                    for d in self._disputes_by_sale.get(_sale["id"], {}).values()
                    if d["stage"] in ("accepted", "lapsed", "lost")
                ),
                "fees": sum(
                    d["fees"]
                    for _sale in self._sales_by_merchant.get(merchant_id, {}).values()
                    for d in self._disputes_by_sale.get(_sale["id"], {}).values()
                ),
            }
        )

    def escalations(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Escalated disputes and whether arbitration is worth its fee.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disputes": records}} or {"success": False, "error": why
                not}
        """
        found = [d for d in self._disputes_by_stage.get("escalated", {}).values()]
        found.sort(key=lambda d: (-d["amount"], d["code"], _age(d)))
        return _found(
            {
                "total": len(found),
                "disputes": [
                    {
                        "id": d["id"],
                        "code": d["code"],
                        "amount": d["amount"],
                        "fee": self.schemes[self.reasons[d["reason_id"]]["scheme_id"]]["arbitration_fee"],
                        "worth_it": self._worth_it(d),
                        "due_on": d["due_on"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def workload(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Analysts with their cases under way, those with the fewest first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "analysts": records}} or {"success": False, "error": why
                not}
        """
        found = [a for a in self.analysts.values()]
        found.sort(key=lambda a: (self._analyst_cases(a), a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "analysts": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "cases": self._analyst_cases(a),
                        "may_take": a["most"] - self._analyst_cases(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_schemes(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the schemes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only schemes whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "schemes": records}}
        """
        found = [
            scheme
            for scheme in self.schemes.values()
            if (name is None or name.casefold() in scheme["name"].casefold())
        ]
        return _found({"total": len(found), "schemes": [{**scheme} for scheme in _page(found, offset)]})

    def list_reasons(
        self,
        title: Text | None = None,
        scheme_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reasons, oldest first, all of them or only some.

        Args:
            title (str, optional): Only reasons whose title contains this text.
            scheme_id (str, optional): Only reasons of this scheme.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reasons": records}}
        """
        if scheme_id is not None and scheme_id not in self.schemes:
            return _refused(f"There is no scheme {scheme_id!r}.")
        found = [
            reason
            for reason in self.reasons.values()
            if (title is None or title.casefold() in reason["title"].casefold())
            and (scheme_id is None or reason["scheme_id"] == scheme_id)
        ]
        shown = [self._show_reason(reason) for reason in _page(found, offset)]
        return _found({"total": len(found), "reasons": shown}, self._names_of_reasons(shown))

    def list_merchants(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the merchants, oldest first, all of them or only some.

        Args:
            name (str, optional): Only merchants whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "merchants": records}}
        """
        found = [
            merchant
            for merchant in self.merchants.values()
            if (name is None or name.casefold() in merchant["name"].casefold())
        ]
        return _found(
            {"total": len(found), "merchants": [self._show_merchant(merchant) for merchant in _page(found, offset)]}
        )

    def list_sales(
        self,
        number: Text | None = None,
        merchant_id: str | None = None,
        scheme_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sales, oldest first, all of them or only some.

        Args:
            number (str, optional): Only sales whose number contains this text.
            merchant_id (str, optional): Only sales of this merchant.
            scheme_id (str, optional): Only sales of this scheme.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sales": records}}
        """
        if merchant_id is not None and merchant_id not in self.merchants:
            return _refused(f"There is no merchant {merchant_id!r}.")
        if scheme_id is not None and scheme_id not in self.schemes:
            return _refused(f"There is no scheme {scheme_id!r}.")
        found = [
            sale
            for sale in self.sales.values()
            if (number is None or number.casefold() in sale["number"].casefold())
            and (merchant_id is None or sale["merchant_id"] == merchant_id)
            and (scheme_id is None or sale["scheme_id"] == scheme_id)
        ]
        shown = [self._show_sale(sale) for sale in _page(found, offset)]
        return _found({"total": len(found), "sales": shown}, self._names_of_sales(shown))

    def list_analysts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the analysts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only analysts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "analysts": records}}
        """
        found = [
            analyst
            for analyst in self.analysts.values()
            if (name is None or name.casefold() in analyst["name"].casefold())
        ]
        return _found(
            {"total": len(found), "analysts": [self._show_analyst(analyst) for analyst in _page(found, offset)]}
        )

    def list_disputes(
        self,
        code: Text | None = None,
        sale_id: str | None = None,
        reason_id: str | None = None,
        analyst_id: str | None = None,
        stage: Literal[
            "open",
            "accepted",
            "represented",
            "lapsed",
            "won",
            "escalated",
            "arbitration",
            "lost",
        ] | None = None,
        opened_on_from: Date | None = None,
        opened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the disputes, oldest first, all of them or only some.

        Args:
            code (str, optional): Only disputes whose code contains this text.
            sale_id (str, optional): Only disputes of this sale.
            reason_id (str, optional): Only disputes of this reason.
            analyst_id (str, optional): Only disputes of this analyst.
            stage (str, optional): Only disputes with this stage.
            opened_on_from (str, optional): Only disputes whose `opened_on` is on this day or later.
            opened_on_to (str, optional): Only disputes whose `opened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disputes": records}}
        """
        if sale_id is not None and sale_id not in self.sales:
            return _refused(f"There is no sale {sale_id!r}.")
        if reason_id is not None and reason_id not in self.reasons:
            return _refused(f"There is no reason {reason_id!r}.")
        if analyst_id is not None and analyst_id not in self.analysts:
            return _refused(f"There is no analyst {analyst_id!r}.")
        found = [
            dispute
            for dispute in self.disputes.values()
            if (code is None or code.casefold() in dispute["code"].casefold())
            and (sale_id is None or dispute["sale_id"] == sale_id)
            and (reason_id is None or dispute["reason_id"] == reason_id)
            and (analyst_id is None or dispute["analyst_id"] == analyst_id)
            and (stage is None or dispute["stage"] == stage)
            and (opened_on_from is None or dispute["opened_on"] >= opened_on_from)
            and (opened_on_to is None or dispute["opened_on"] <= opened_on_to)
        ]
        shown = [self._show_dispute(dispute) for dispute in _page(found, offset)]
        return _found({"total": len(found), "disputes": shown}, self._names_of_disputes(shown))

    def list_evidences(
        self,
        dispute_id: str | None = None,
        kind: Literal["receipt", "delivery", "signature", "correspondence", "terms", "usage_log"] | None = None,
        added_on_from: Date | None = None,
        added_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the evidences, oldest first, all of them or only some.

        Args:
            dispute_id (str, optional): Only evidences of this dispute.
            kind (str, optional): Only evidences with this kind.
            added_on_from (str, optional): Only evidences whose `added_on` is on this day or later.
            added_on_to (str, optional): Only evidences whose `added_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "evidences": records}}
        """
        if dispute_id is not None and dispute_id not in self.disputes:
            return _refused(f"There is no dispute {dispute_id!r}.")
        found = [
            evidence
            for evidence in self.evidences.values()
            if (dispute_id is None or evidence["dispute_id"] == dispute_id)
            and (kind is None or evidence["kind"] == kind)
            and (added_on_from is None or evidence["added_on"] >= added_on_from)
            and (added_on_to is None or evidence["added_on"] <= added_on_to)
        ]
        shown = [{**evidence} for evidence in _page(found, offset)]
        return _found({"total": len(found), "evidences": shown}, self._names_of_evidences(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_dispute(
        self,
        code: Text,
        sale_id: str,
        reason_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 5000000}],
        analyst_id: str,
    ) -> Result:
        """Open a dispute that the cardholder's bank has raised; amount and fee are taken from the merchant at once,
        and the reserve is topped up.

        Args:
            code (str): Case number of the dispute, not used before.
            sale_id (str): Id of the sale, such as SALE-00001.
            reason_id (str): Id of the reason, such as REASON-00001.
            amount (int): Disputed part of the sale, at most what is left of it, in cents, from 100 to 5000000.
            analyst_id (str): Id of the analyst, such as ANALYST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sale = self.sales.get(sale_id)
        if sale is None:
            return _refused(f"There is no sale {sale_id!r}.")
        reason = self.reasons.get(reason_id)
        if reason is None:
            return _refused(f"There is no reason {reason_id!r}.")
        analyst = self.analysts.get(analyst_id)
        if analyst is None:
            return _refused(f"There is no analyst {analyst_id!r}.")
        if self._disputes_by_code.get(code, {}):
            return _refused(f"There is a case {code} already.")
        if reason["scheme_id"] != sale["scheme_id"]:
            return _refused(
                f"{sale['number']} was paid with {self.schemes[sale['scheme_id']]['name']}, and {reason['title']} "
                f"is a reason of {self.schemes[reason['scheme_id']]['name']}."
            )
        if _plus_days(sale["sold_on"], 120) < self.now[:10]:
            return _refused(f"{sale['number']} was sold on {sale['sold_on']}, more than 120 days ago.")
        other = next(
            (d for d in sorted(self._disputes_by_sale.get(sale_id, {}).values(), key=_age) if self._under_way(d)),
            None,
        )
        if other is not None:
            return _refused(f"Case {other['code']} about {sale['number']} is {other['stage']}.")
        if self._disputes_by_sale_reason_stage.get((sale_id, reason_id, "won"), {}):
            return _refused(
                f"A case about {sale['number']} for {reason['title']} was won before and cannot be raised again."
            )
        if amount > self._sale_left(sale):
            return _refused(f"{_money(self._sale_left(sale))} of {sale['number']} are left, not {_money(amount)}.")
        if self._analyst_cases(analyst) >= analyst["most"]:
            return _refused(f"{analyst['name']} has {self._analyst_cases(analyst)} cases and takes no more.")
        self._journal = []
        changed_merchants: list[Any] = []
        merchant = self.merchants[sale["merchant_id"]]
        dispute: Dispute = {
            "id": self._new_id("dispute", "DISPUTE", self.disputes),
            "code": code,
            "sale_id": sale_id,
            "reason_id": reason_id,
            "amount": amount,
            "analyst_id": analyst_id,
            "opened_on": self.now[:10],
            "due_on": _plus_days(self.now[:10], reason["days"]),
            "fees": self.schemes[reason["scheme_id"]]["dispute_fee"],
            "stage": "open",
        }
        self._add("disputes", dispute)
        balance = merchant["balance"] - (amount + self.schemes[reason["scheme_id"]]["dispute_fee"])
        if not -9000000 <= balance <= 90000000:
            return self._take_back(f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00.")
        self._put("merchants", merchant, "balance", balance)
        lacking = self._required(merchant, merchant["percent"]) - merchant["reserve"]
        if lacking > 0:
            new_balance = merchant["balance"] - lacking
            if not -9000000 <= new_balance <= 90000000:
                return self._take_back(
                    f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00."
                )
            self._put("merchants", merchant, "balance", new_balance)
            reserve = merchant["reserve"] + lacking
            if not 0 <= reserve <= 90000000:
                return self._take_back(f"The reserve of {merchant['name']} must be between 0.00 and 900,000.00.")
            changed_merchants.append(merchant)
            self._put("merchants", merchant, "reserve", reserve)
        if len(self._disputes_by_code.get(dispute["code"], {})) > 1:
            return self._take_back(f"There is already a dispute with the code {dispute['code']!r}.")
        if self._breaks_rule_1(self.sales[dispute["sale_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(dispute):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(dispute):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(dispute):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.analysts[dispute["analyst_id"]]):
            return self._take_back(RULES[5])
        for one_merchant in _distinct(
            [self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]], *changed_merchants]
        ):
            if self._breaks_rule_7(one_merchant):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(dispute):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(dispute):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(dispute):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(dispute):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: open case {code} over {_money(amount)} about {sale['number']} (new: dispute {dispute['id']})."
            ),
            "data": {"dispute_id": dispute["id"], **self._changes()},
        }

    def add_evidence(
        self,
        dispute_id: str,
        kind: Literal["receipt", "delivery", "signature", "correspondence", "terms", "usage_log"],
        file: Text,
    ) -> Result:
        """Add a piece of evidence of a kind that the reason asks for to an open dispute.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.
            kind (str): Kind of evidence, one that the reason needs and that is missing: receipt, delivery,
                signature, correspondence, terms or usage_log.
            file (str): Name of the file with the evidence.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] != "open":
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        if not self._in_time(dispute):
            return _refused(f"Case {dispute['code']} was due on {dispute['due_on']}.")
        if kind not in self.reasons[dispute["reason_id"]]["needs"]:
            return _refused(
                f"{self.reasons[dispute['reason_id']]['title']} asks for "
                f"{', '.join(one for one in self.reasons[dispute['reason_id']]['needs'])}, not for {kind}."
            )
        if kind not in self._dispute_missing(dispute):
            return _refused(f"Case {dispute['code']} has evidence of this kind already.")
        self._journal = []
        evidence: Evidence = {
            "id": self._new_id("evidence", "EVIDENCE", self.evidences),
            "dispute_id": dispute_id,
            "kind": kind,
            "file": file,
            "added_on": self.now[:10],
        }
        self._add("evidences", evidence)
        if self._breaks_rule_4(self.disputes[evidence["dispute_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_e(evidence):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_e_again(evidence):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: add {kind} to case {dispute['code']} (new: evidence {evidence['id']}).",
            "data": {"evidence_id": evidence["id"], **self._changes()},
        }

    def hand_over(self, dispute_ids: Annotated[list[str], {"maxItems": 20}], analyst_id: str) -> Result:
        """Hand disputes under way over to another analyst.

        Args:
            dispute_ids (list): Disputes under way that the other analyst takes over: ids of disputes, such as
                DISPUTE-00001.
            analyst_id (str): Id of the analyst, such as ANALYST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        disputes = []
        for key in dispute_ids:
            if key not in self.disputes:
                return _refused(f"There is no dispute {key!r}.")
            disputes.append(self.disputes[key])
        analyst = self.analysts.get(analyst_id)
        if analyst is None:
            return _refused(f"There is no analyst {analyst_id!r}.")
        if not (len(disputes) > 0 and _different([d["id"] for d in disputes])):
            return _refused("Name at least one dispute, and each once.")
        done = next((d for d in disputes if not self._under_way(d)), None)
        if done is not None:
            return _refused(f"Case {done['code']} is {done['stage']}.")
        own = next((d for d in disputes if d["analyst_id"] == analyst_id), None)
        if own is not None:
            return _refused(f"{analyst['name']} has case {own['code']} already.")
        if self._analyst_cases(analyst) + len(disputes) > analyst["most"]:
            return _refused(
                f"{analyst['name']} can take {analyst['most'] - self._analyst_cases(analyst)} more cases, not "
                f"{len(disputes)}."
            )
        self._journal = []
        changed_disputes: list[Any] = []
        former_analyst_ids: list[Any] = []
        for d in list(disputes):
            changed_disputes.append(d)
            former_analyst_ids.append(d["analyst_id"])
            self._put("disputes", d, "analyst_id", analyst_id)
        for one_analyst in _distinct(
            [
                *[self.analysts[one["analyst_id"]] for one in changed_disputes],
                *[self.analysts.get(key) for key in former_analyst_ids],
            ]
        ):
            if self._breaks_rule_6(one_analyst):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: hand {len(disputes)} cases over to {analyst['name']}.",
            "data": self._changes(),
        }

    def represent(self, dispute_id: str) -> Result:
        """Send a complete dispute back to the cardholder's bank before it falls due.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] != "open":
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        if not self._in_time(dispute):
            return _refused(f"Case {dispute['code']} was due on {dispute['due_on']}.")
        if not self._complete(dispute):
            return _refused(
                f"Case {dispute['code']} still lacks {', '.join(one for one in self._dispute_missing(dispute))}."
            )
        self._journal = []
        self._put("disputes", dispute, "stage", "represented")
        if self._breaks_rule_1(self.sales[dispute["sale_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(dispute):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(dispute):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.analysts[dispute["analyst_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(dispute):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(dispute):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: represent case {dispute['code']}.", "data": self._changes()}

    def accept_dispute(self, dispute_id: str) -> Result:
        """Accept an open or escalated dispute; the cardholder keeps the money.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] not in ("open", "escalated"):
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        self._journal = []
        self._put("disputes", dispute, "stage", "accepted")
        if self._breaks_rule_1(self.sales[dispute["sale_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(dispute):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(dispute):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.analysts[dispute["analyst_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(dispute):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(dispute):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: accept case {dispute['code']}.", "data": self._changes()}

    def lapse_dispute(self, dispute_id: str) -> Result:
        """Write off an open or escalated dispute whose deadline has passed.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] not in ("open", "escalated"):
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        if self._in_time(dispute):
            return _refused(f"Case {dispute['code']} is due on {dispute['due_on']} only.")
        self._journal = []
        self._put("disputes", dispute, "stage", "lapsed")
        if self._breaks_rule_1(self.sales[dispute["sale_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(dispute):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(dispute):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.analysts[dispute["analyst_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(dispute):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(dispute):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: let case {dispute['code']} lapse.", "data": self._changes()}

    def record_answer(self, dispute_id: str, gave_in: bool) -> Result:
        """Record whether the cardholder's bank gave in to a representment; if not, the case escalates and is due in
        ten days.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.
            gave_in (bool): Whether the cardholder's bank gave in, so that the merchant wins.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] != "represented":
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        self._journal = []
        changed_disputes: list[Any] = []
        changed_disputes_2: list[Any] = []
        if gave_in:
            merchant = self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]
            balance = self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]["balance"] + dispute["amount"]
            if not -9000000 <= balance <= 90000000:
                return self._take_back(
                    f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00."
                )
            self._put("merchants", merchant, "balance", balance)
            changed_disputes.append(dispute)
            self._put("disputes", dispute, "stage", "won")
        else:
            changed_disputes_2.append(dispute)
            self._put("disputes", dispute, "due_on", max(_plus_days(self.now[:10], 10), dispute["due_on"]))
            if dispute["stage"] not in ("represented", "escalated"):
                return self._take_back(f"Dispute {dispute['code']} cannot go from {dispute['stage']} to escalated.")
            changed_disputes.append(dispute)
            self._put("disputes", dispute, "stage", "escalated")
        for one_sale in _distinct([self.sales[one["sale_id"]] for one in changed_disputes]):
            if self._breaks_rule_1(one_sale):
                return self._take_back(RULES[0])
        for one_dispute in _distinct(changed_disputes):
            if self._breaks_rule_2(one_dispute):
                return self._take_back(RULES[1])
        for one_dispute in _distinct(changed_disputes):
            if self._breaks_rule_4(one_dispute):
                return self._take_back(RULES[3])
        for one_analyst in _distinct([self.analysts[one["analyst_id"]] for one in changed_disputes]):
            if self._breaks_rule_6(one_analyst):
                return self._take_back(RULES[5])
        for one_merchant in _distinct(
            [self.merchants[one["merchant_id"]] for one in [self.sales[one["sale_id"]] for one in changed_disputes]]
        ):
            if self._breaks_rule_7(one_merchant):
                return self._take_back(RULES[6])
        for one_dispute in _distinct(changed_disputes_2):
            if self._breaks_rule_8(one_dispute):
                return self._take_back(RULES[7])
        for one_dispute in _distinct(changed_disputes):
            if self._breaks_rule_9(one_dispute):
                return self._take_back(RULES[8])
        for one_dispute in _distinct(changed_disputes):
            if self._breaks_rule_11(one_dispute):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: record the answer to case {dispute['code']}.",
            "data": self._changes(),
        }

    def go_to_arbitration(self, dispute_id: str) -> Result:
        """Take an escalated dispute to the scheme, whose fee the merchant pays.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] != "escalated":
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        if not self._in_time(dispute):
            return _refused(f"Case {dispute['code']} was due on {dispute['due_on']}.")
        if not self._complete(dispute):
            return _refused(
                f"Case {dispute['code']} lacks {', '.join(one for one in self._dispute_missing(dispute))}."
            )
        if not self._worth_it(dispute):
            return _refused(
                "Arbitration costs "
                f"{_money(self.schemes[self.reasons[dispute['reason_id']]['scheme_id']]['arbitration_fee'])} and "
                f"case {dispute['code']} is about {_money(dispute['amount'])}."
            )
        self._journal = []
        fees = dispute["fees"] + self.schemes[self.reasons[dispute["reason_id"]]["scheme_id"]]["arbitration_fee"]
        if not 0 <= fees <= 500000:
            return self._take_back(f"The fees of {dispute['code']} must be between 0.00 and 5,000.00.")
        self._put("disputes", dispute, "fees", fees)
        merchant = self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]
        balance = (
            self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]["balance"]
            - self.schemes[self.reasons[dispute["reason_id"]]["scheme_id"]]["arbitration_fee"]
        )
        if not -9000000 <= balance <= 90000000:
            return self._take_back(f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00.")
        self._put("merchants", merchant, "balance", balance)
        self._put("disputes", dispute, "stage", "arbitration")
        if self._breaks_rule_1(self.sales[dispute["sale_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(dispute):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(dispute):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.analysts[dispute["analyst_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(dispute):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(dispute):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take case {dispute['code']} to arbitration.",
            "data": self._changes(),
        }

    def record_ruling(self, dispute_id: str, won: bool) -> Result:
        """Record the ruling of the scheme; who wins gets the amount and the arbitration fee back.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.
            won (bool): Whether the merchant won the arbitration.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["stage"] != "arbitration":
            return _refused(f"Case {dispute['code']} is {dispute['stage']}.")
        self._journal = []
        changed_disputes: list[Any] = []
        changed_disputes_2: list[Any] = []
        if won:
            merchant = self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]
            balance = (
                self.merchants[self.sales[dispute["sale_id"]]["merchant_id"]]["balance"]
                + dispute["amount"]
                + self.schemes[self.reasons[dispute["reason_id"]]["scheme_id"]]["arbitration_fee"]
            )
            if not -9000000 <= balance <= 90000000:
                return self._take_back(
                    f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00."
                )
            self._put("merchants", merchant, "balance", balance)
            fees = dispute["fees"] - self.schemes[self.reasons[dispute["reason_id"]]["scheme_id"]]["arbitration_fee"]
            if not 0 <= fees <= 500000:
                return self._take_back(f"The fees of {dispute['code']} must be between 0.00 and 5,000.00.")
            changed_disputes.append(dispute)
            self._put("disputes", dispute, "fees", fees)
            changed_disputes_2.append(dispute)
            self._put("disputes", dispute, "stage", "won")
        else:
            if dispute["stage"] not in ("arbitration", "lost"):
                return self._take_back(f"Dispute {dispute['code']} cannot go from {dispute['stage']} to lost.")
            changed_disputes_2.append(dispute)
            self._put("disputes", dispute, "stage", "lost")
        for one_sale in _distinct([self.sales[one["sale_id"]] for one in changed_disputes_2]):
            if self._breaks_rule_1(one_sale):
                return self._take_back(RULES[0])
        for one_dispute in _distinct(changed_disputes_2):
            if self._breaks_rule_2(one_dispute):
                return self._take_back(RULES[1])
        for one_dispute in _distinct(changed_disputes_2):
            if self._breaks_rule_4(one_dispute):
                return self._take_back(RULES[3])
        for one_analyst in _distinct([self.analysts[one["analyst_id"]] for one in changed_disputes_2]):
            if self._breaks_rule_6(one_analyst):
                return self._take_back(RULES[5])
        for one_merchant in _distinct(
            [self.merchants[one["merchant_id"]] for one in [self.sales[one["sale_id"]] for one in changed_disputes_2]]
        ):
            if self._breaks_rule_7(one_merchant):
                return self._take_back(RULES[6])
        for one_dispute in _distinct(changed_disputes_2):
            if self._breaks_rule_9(one_dispute):
                return self._take_back(RULES[8])
        for one_dispute in _distinct([*changed_disputes, *changed_disputes_2]):
            if self._breaks_rule_11(one_dispute):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: record the ruling on case {dispute['code']}.",
            "data": self._changes(),
        }

    def refund_sale(self, sale_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 5000000}]) -> Result:
        """Refund a part of a sale about which no dispute is under way.

        Args:
            sale_id (str): Id of the sale, such as SALE-00001.
            amount (int): Amount refunded to the cardholder, at most what is left of the sale, in cents, from 1 to
                5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sale = self.sales.get(sale_id)
        if sale is None:
            return _refused(f"There is no sale {sale_id!r}.")
        other = next(
            (d for d in sorted(self._disputes_by_sale.get(sale_id, {}).values(), key=_age) if self._under_way(d)),
            None,
        )
        if other is not None:
            return _refused(
                f"Case {other['code']} about {sale['number']} is {other['stage']}, so nothing is refunded."
            )
        if amount > self._sale_left(sale):
            return _refused(f"{_money(self._sale_left(sale))} of {sale['number']} are left, not {_money(amount)}.")
        self._journal = []
        refunded = sale["refunded"] + amount
        if not 0 <= refunded <= 5000000:
            return self._take_back(f"The refunded of {sale['number']} must be between 0.00 and 50,000.00.")
        self._put("sales", sale, "refunded", refunded)
        merchant = self.merchants[sale["merchant_id"]]
        balance = self.merchants[sale["merchant_id"]]["balance"] - amount
        if not -9000000 <= balance <= 90000000:
            return self._take_back(f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00.")
        self._put("merchants", merchant, "balance", balance)
        if self._breaks_rule_1(sale):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: refund {_money(amount)} of {sale['number']}.",
            "data": self._changes(),
        }

    def set_reserve(self, merchant_id: str, percent: Annotated[int, {"minimum": 0, "maximum": 100}]) -> Result:
        """Set the percentage of disputed amounts that a merchant leaves as security, and bring the reserve to exactly
        that.

        Args:
            merchant_id (str): Id of the merchant, such as MERCHANT-00001.
            percent (int): Share of the disputed amounts kept as security, in percent, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        merchant = self.merchants.get(merchant_id)
        if merchant is None:
            return _refused(f"There is no merchant {merchant_id!r}.")
        if merchant["percent"] == percent and merchant["reserve"] == self._required(merchant, percent):
            return _refused(f"The reserve of {merchant['name']} stands at {percent} percent.")
        if merchant["balance"] < 0 and self._required(merchant, percent) < merchant["reserve"]:
            return _refused(
                f"{merchant['name']} stands at {_money(merchant['balance'])}, so nothing of the reserve is given "
                "back."
            )
        self._journal = []
        self._put("merchants", merchant, "percent", percent)
        balance = merchant["balance"] + merchant["reserve"] - self._required(merchant, percent)
        if not -9000000 <= balance <= 90000000:
            return self._take_back(f"The balance of {merchant['name']} must be between -90,000.00 and 900,000.00.")
        self._put("merchants", merchant, "balance", balance)
        reserve = self._required(merchant, percent)
        if not 0 <= reserve <= 90000000:
            return self._take_back(f"The reserve of {merchant['name']} must be between 0.00 and 900,000.00.")
        self._put("merchants", merchant, "reserve", reserve)
        if self._breaks_rule_7(merchant):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: set the reserve of {merchant['name']} to {percent} percent.",
            "data": self._changes(),
        }

    def _show_reason(self, reason: Reason) -> dict[str, Any]:
        """The reason as an answer shows it."""
        return {**reason, "needs": [*reason["needs"]]}

    def _show_merchant(self, merchant: Merchant) -> dict[str, Any]:
        """The merchant as an answer shows it."""
        return {**merchant, "exposure": self._merchant_exposure(merchant)}

    def _show_sale(self, sale: Sale) -> dict[str, Any]:
        """The sale as an answer shows it."""
        return {**sale, "left": self._sale_left(sale)}

    def _show_analyst(self, analyst: Analyst) -> dict[str, Any]:
        """The analyst as an answer shows it."""
        return {**analyst, "cases": self._analyst_cases(analyst)}

    def _show_dispute(self, dispute: Dispute) -> dict[str, Any]:
        """The dispute as an answer shows it."""
        return {**dispute, "missing": self._dispute_missing(dispute)}

    def _names_of_reasons(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reasons point to."""
        return _names((self.schemes, "name", [row["scheme_id"] for row in shown]))

    def _names_of_sales(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sales point to."""
        return _names(
            (self.merchants, "name", [row["merchant_id"] for row in shown]),
            (self.schemes, "name", [row["scheme_id"] for row in shown]),
        )

    def _names_of_disputes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that disputes point to."""
        return _names(
            (self.sales, "number", [row["sale_id"] for row in shown]),
            (self.reasons, "title", [row["reason_id"] for row in shown]),
            (self.analysts, "name", [row["analyst_id"] for row in shown]),
        )

    def _names_of_evidences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that evidences point to."""
        return _names((self.disputes, "code", [row["dispute_id"] for row in shown]))

    def _merchant_exposure(self, merchant: Merchant) -> int:
        """The exposure of a merchant."""
        return sum(
            d["amount"]
            for _sale in self._sales_by_merchant.get(merchant["id"], {}).values()
            for d in self._disputes_by_sale.get(_sale["id"], {}).values()
            if self._under_way(d)
        )

    def _sale_left(self, sale: Sale) -> int:
        """The left of a sale."""
        return (
            sale["amount"]
            - sale["refunded"]
            - sum(d["amount"] for d in self._disputes_by_sale.get(sale["id"], {}).values() if d["stage"] != "won")
        )

    def _analyst_cases(self, analyst: Analyst) -> int:
        """The cases of an analyst."""
        return sum(1 for d in self._disputes_by_analyst.get(analyst["id"], {}).values() if self._under_way(d))

    def _dispute_missing(self, dispute: Dispute) -> list[str]:
        """The missing of a dispute."""
        return [
            k
            for k in self.reasons[dispute["reason_id"]]["needs"]
            if not self._evidences_by_dispute_kind.get((dispute["id"], k), {})
        ]

    def _under_way(self, d: Dispute) -> bool:
        return d["stage"] in ("open", "represented", "escalated", "arbitration")

    def _complete(self, d: Dispute) -> bool:
        return len(self._dispute_missing(d)) == 0

    def _in_time(self, d: Dispute) -> bool:
        return d["due_on"] >= self.now[:10]

    def _required(self, m: Merchant, percent: int) -> int:
        return ceil(Fraction(self._merchant_exposure(m) * percent, 100))

    def _worth_it(self, d: Dispute) -> bool:
        return d["amount"] > self.schemes[self.reasons[d["reason_id"]]["scheme_id"]]["arbitration_fee"]

    def _breaks_rule_1(self, s: Sale) -> bool:
        """Whether this is broken: refunds and disputed amounts are never more than the sale."""
        return (
            s["refunded"]
            + sum(
                d["amount"]
                for d in self._disputes_by_sale.get(s["id"], {}).values()
                if d["stage"] != "won"
            ) > s["amount"]
        )

    def _breaks_rule_2(self, d: Dispute) -> bool:
        """Whether this is broken: a sale has one dispute under way at a time."""
        return (
            self._under_way(d)
            and any(
                other_d is not d
                for other_d in self._disputes_by_sale.get(d["sale_id"], {}).values()
                if self._under_way(other_d)
            )
        )

    def _breaks_rule_3(self, d: Dispute) -> bool:
        """Whether this is broken: a dispute has a reason of the card scheme with which was paid."""
        return self.reasons[d["reason_id"]]["scheme_id"] != self.sales[d["sale_id"]]["scheme_id"]

    def _breaks_rule_4(self, d: Dispute) -> bool:
        """Whether this is broken: only disputes with all the evidence that their reason asks for are represented."""
        return (
            d["stage"] in ("represented", "arbitration", "won", "lost")
            and not all(
                any(e["kind"] == k for e in self._evidences_by_dispute.get(d["id"], {}).values())
                for k in self.reasons[d["reason_id"]]["needs"]
            )
        )

    def _breaks_rule_5_e(self, e: Evidence) -> bool:
        """Whether this is broken: a dispute has one piece of evidence of each kind, and only kinds its reason asks
        for.
        """
        return any(
            other_e is not e
            for other_e in self._evidences_by_dispute_kind.get((e["dispute_id"], e["kind"]), {}).values()
        )

    def _breaks_rule_5_e_again(self, e: Evidence) -> bool:
        """Whether this is broken: a dispute has one piece of evidence of each kind, and only kinds its reason asks
        for.
        """
        return e["kind"] not in self.reasons[self.disputes[e["dispute_id"]]["reason_id"]]["needs"]

    def _breaks_rule_6(self, a: Analyst) -> bool:
        """Whether this is broken: an analyst never has more cases under way than they can handle."""
        return self._analyst_cases(a) > a["most"]

    def _breaks_rule_7(self, m: Merchant) -> bool:
        """Whether this is broken: the reserve of a merchant covers its percentage of what is disputed."""
        return m["reserve"] * 100 < self._merchant_exposure(m) * m["percent"]

    def _breaks_rule_8(self, d: Dispute) -> bool:
        """Whether this is broken: a dispute falls due after it was opened."""
        return d["due_on"] <= d["opened_on"]

    def _breaks_rule_9(self, d: Dispute) -> bool:
        """Whether this is broken: only what is worth more than the fee goes to arbitration."""
        return d["stage"] == "arbitration" and not self._worth_it(d)

    def _breaks_rule_10(self, d: Dispute) -> bool:
        """Whether this is broken: a dispute is raised within 120 days of the sale."""
        return (
            self.sales[d["sale_id"]]["sold_on"] > d["opened_on"]
            or d["opened_on"] > _plus_days(self.sales[d["sale_id"]]["sold_on"], 120)
        )

    def _breaks_rule_11(self, d: Dispute) -> bool:
        """Whether this is broken: a case in arbitration has been charged the fee of the scheme."""
        return (
            d["stage"] == "arbitration"
            and d["fees"] < self.schemes[self.reasons[d["reason_id"]]["scheme_id"]]["arbitration_fee"]
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
            case "sales":
                self._sales_by_merchant.setdefault(record["merchant_id"], {})[record["id"]] = record
            case "disputes":
                self._disputes_by_analyst.setdefault(record["analyst_id"], {})[record["id"]] = record
                self._disputes_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._disputes_by_sale.setdefault(record["sale_id"], {})[record["id"]] = record
                self._disputes_by_sale_reason_stage.setdefault(
                    (record["sale_id"], record["reason_id"], record["stage"]),
                    {},
                )[record["id"]] = record
                self._disputes_by_sale_stage.setdefault((record["sale_id"], record["stage"]), {})[record["id"]] = record
                self._disputes_by_stage.setdefault(record["stage"], {})[record["id"]] = record
            case "evidences":
                self._evidences_by_dispute.setdefault(record["dispute_id"], {})[record["id"]] = record
                self._evidences_by_dispute_kind.setdefault(
                    (record["dispute_id"], record["kind"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sales":
                del self._sales_by_merchant[record["merchant_id"]][record["id"]]
            case "disputes":
                del self._disputes_by_analyst[record["analyst_id"]][record["id"]]
                del self._disputes_by_code[record["code"]][record["id"]]
                del self._disputes_by_sale[record["sale_id"]][record["id"]]
                del self._disputes_by_sale_reason_stage[
                    record["sale_id"],
                    record["reason_id"],
                    record["stage"],
                ][record["id"]]
                del self._disputes_by_sale_stage[record["sale_id"], record["stage"]][record["id"]]
                del self._disputes_by_stage[record["stage"]][record["id"]]
            case "evidences":
                del self._evidences_by_dispute[record["dispute_id"]][record["id"]]
                del self._evidences_by_dispute_kind[record["dispute_id"], record["kind"]][record["id"]]
