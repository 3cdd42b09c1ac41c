"""Sales pipeline. Compiled from blueprint.yaml; run `envscaler build sales_pipeline` after changing it there.

Takes the sales of a machine maker from leads to won or lost opportunities, with exit criteria per stage, quotes
whose discounts need approval, and territories that are handed over.
"""

from __future__ import annotations

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
    "A company has at most one open opportunity.",
    "An open opportunity belongs to the owner of the company's territory.",
    "Nobody has more open opportunities than they can look after.",
    "From the proposal on, the decider and the budget are known.",
    "From the negotiation on, a quote has been sent.",
    "An opportunity is won exactly when a quote was accepted, and no two are.",
    "An opportunity has one quote in preparation or with the customer at a time, and their numbers differ.",
    "A discount above the limit of whoever prepared the quote is approved by somebody above them whose limit covers it, before it is sent.",
    "A quote names each product once.",
    "Whatever is lost has a reason, and what is closed has a day.",
    "A qualified lead led to an opportunity of the same company, and no other lead did.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "add_lead",
    "qualify_lead",
    "drop_lead",
    "note_findings",
    "advance_stage",
    "lose_opportunity",
    "draft_quote",
    "approve_quote",
    "send_quote",
    "withdraw_quote",
    "hand_over_territory",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "reps": ("name",),
    "territories": ("name",),
    "companies": ("name",),
    "leads": ("contact",),
    "opportunities": ("title",),
    "products": ("name",),
    "quotes": (),
    "lines": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("companies", "territory_id"),
    ("leads", "company_id"),
    ("leads", "status"),
    ("lines", "product_id"),
    ("lines", "quote_id"),
    ("opportunities", "company_id"),
    ("opportunities", "owner_id"),
    ("opportunities", "title"),
    ("quotes", "opportunity_id"),
    ("quotes", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Rep(TypedDict):
    id: str
    name: str
    manager_id: str | None
    discount_limit: int
    most_open: int


class Territory(TypedDict):
    id: str
    name: str
    within_id: str | None
    owner_id: str


class Company(TypedDict):
    id: str
    name: str
    territory_id: str
    employees: int


class Lead(TypedDict):
    id: str
    company_id: str
    contact: str
    source: Literal["fair", "website", "referral", "cold_call"]
    came_on: str
    opportunity_id: str | None
    status: Literal["fresh", "qualified", "dropped"]


class Opportunity(TypedDict):
    id: str
    title: str
    company_id: str
    owner_id: str
    close_on: str
    decider: str | None
    budget: int | None
    closed_on: str | None
    lost_for: str | None
    stage: Literal["discovery", "proposal", "lost", "negotiation", "won"]


class Product(TypedDict):
    id: str
    name: str
    price: int


class Quote(TypedDict):
    id: str
    opportunity_id: str
    number: int
    prepared_by_id: str
    discount: int
    valid_until: str
    approved_by_id: str | None
    status: Literal["draft", "sent", "withdrawn", "accepted"]


class Line(TypedDict):
    id: str
    quote_id: str
    product_id: str
    quantity: int
    price: int


class DraftQuoteLine(TypedDict):
    product_id: str
    quantity: Annotated[int, {"minimum": 1, "maximum": 200}]


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class SalesPipeline:
    """Takes the sales of a machine maker from leads to won or lost opportunities, with exit criteria per
    stage, quotes whose discounts need approval, and territories that are handed over.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.reps: dict[str, Rep] = _copied(config.get("reps", {}))
        self.territories: dict[str, Territory] = _copied(config.get("territories", {}))
        self.companies: dict[str, Company] = _copied(config.get("companies", {}))
        self.leads: dict[str, Lead] = _copied(config.get("leads", {}))
        self.opportunities: dict[str, Opportunity] = _copied(config.get("opportunities", {}))
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.quotes: dict[str, Quote] = _copied(config.get("quotes", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.now: str = config.get("now", "2026-10-06T09:20")
        self.counters: dict[str, int] = {
            "rep": len(self.reps),
            "territory": len(self.territories),
            "company": len(self.companies),
            "lead": len(self.leads),
            "opportunity": len(self.opportunities),
            "product": len(self.products),
            "quote": len(self.quotes),
            "line": len(self.lines),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._companies_by_territory: dict[Any, dict[str, Company]] = {}
        self._leads_by_company_status: dict[Any, dict[str, Lead]] = {}
        self._opportunities_by_company: dict[Any, dict[str, Opportunity]] = {}
        self._opportunities_by_lower_title: dict[Any, dict[str, Opportunity]] = {}
        self._opportunities_by_owner: dict[Any, dict[str, Opportunity]] = {}
        self._opportunities_by_title: dict[Any, dict[str, Opportunity]] = {}
        self._quotes_by_opportunity: dict[Any, dict[str, Quote]] = {}
        self._quotes_by_opportunity_status: dict[Any, dict[str, Quote]] = {}
        self._lines_by_quote: dict[Any, dict[str, Line]] = {}
        self._lines_by_quote_product: dict[Any, dict[str, Line]] = {}
        for company in self.companies.values():
            self._link("companies", company)
        for lead in self.leads.values():
            self._link("leads", lead)
        for opportunity in self.opportunities.values():
            self._link("opportunities", opportunity)
        for quote in self.quotes.values():
            self._link("quotes", quote)
        for line in self.lines.values():
            self._link("lines", line)

    def what_is_missing(self, opportunity_id: str) -> Result:
        """What an opportunity needs before it can go to its next stage.

        Args:
            opportunity_id (str): Id of the opportunity, such as OPPORTUNITY-00001.

        Returns:
            dict: {"success": True, "data": {stage, decider_known, budget_known, quote, quote_sent, quote_valid,
                quote_signed, quote_total}} or {"success": False, "error": why not}
        """
        opportunity = self.opportunities.get(opportunity_id)
        if opportunity is None:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        quote = self._live_quote(opportunity)
        return _found(
            {
                "stage": opportunity["stage"],
                "decider_known": opportunity["decider"] is not None,
                "budget_known": opportunity["budget"] is not None,
                "quote": quote["id"] if quote is not None else None,
                "quote_sent": quote is not None and quote["status"] == "sent",
                "quote_valid": quote is not None and quote["valid_until"] >= self.now[:10],
                "quote_signed": quote is not None and self._signed(quote),
                "quote_total": self._total(quote) if quote is not None else None,
            }
        )

    def pipeline_of(
        self,
        rep_id: str,
        stage: Literal["discovery", "proposal", "negotiation"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The open opportunities of somebody, the greatest worth first.

        Args:
            rep_id (str): Id of the rep, such as REP-00001.
            stage (str, optional): Stage in which the opportunities are: discovery, proposal or negotiation. If
                left out, all open stages are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "opportunities": records}} or {"success": False,
                "error": why not}
        """
        rep = self.reps.get(rep_id)
        if rep is None:
            return _refused(f"There is no rep {rep_id!r}.")
        found = [
            o
            for o in self._opportunities_by_owner.get(rep_id, {}).values()
            if (o["owner_id"] == rep_id and self._open_one(o))
            and (stage is None or o["stage"] == stage)
        ]
        found.sort(key=lambda o: (-self._opportunity_worth(o), o["close_on"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "opportunities": [
                    {
                        "id": o["id"],
                        "title": o["title"],
                        "company": self.companies[o["company_id"]]["name"],
                        "stage": o["stage"],
                        "worth": self._opportunity_worth(o),
                        "close_on": o["close_on"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def approvers_of(self, quote_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who may approve the discount of a quote, the lowest limit first.

        Args:
            quote_id (str): Id of the quote, such as QUOTE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reps": records}} or {"success": False, "error": why
                not}
        """
        quote = self.quotes.get(quote_id)
        if quote is None:
            return _refused(f"There is no quote {quote_id!r}.")
        found = [
            r
            for r in _those(
                self.reps,
                [record["id"] for record in _above(self.reps, self.reps[quote["prepared_by_id"]], "manager_id")],
            )
            if self._may_approve(r, quote)
        ]
        found.sort(key=lambda r: (r["discount_limit"], r["name"], _age(r)))
        shown = [self._show_rep(r) for r in _page(found, offset)]
        return _found({"total": len(found), "reps": shown}, self._names_of_reps(shown))

    def list_reps(
        self,
        name: Text | None = None,
        manager_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reps, oldest first, all of them or only some.

        Args:
            name (str, optional): Only reps whose name contains this text.
            manager_id (str, optional): Only reps whose manager is this rep.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reps": records}}
        """
        if manager_id is not None and manager_id not in self.reps:
            return _refused(f"There is no rep {manager_id!r}.")
        found = [
            rep
            for rep in self.reps.values()
            if (name is None or name.casefold() in rep["name"].casefold())
            and (manager_id is None or rep["manager_id"] == manager_id)
        ]
        shown = [self._show_rep(rep) for rep in _page(found, offset)]
        return _found({"total": len(found), "reps": shown}, self._names_of_reps(shown))

    def list_territories(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the territories, oldest first, all of them or only some.

        Args:
            name (str, optional): Only territories whose name contains this text.
            within_id (str, optional): Only territories within this territory.
            owner_id (str, optional): Only territories whose owner is this rep.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "territories": records}}
        """
        if within_id is not None and within_id not in self.territories:
            return _refused(f"There is no territory {within_id!r}.")
        if owner_id is not None and owner_id not in self.reps:
            return _refused(f"There is no rep {owner_id!r}.")
        found = [
            territory
            for territory in self.territories.values()
            if (name is None or name.casefold() in territory["name"].casefold())
            and (within_id is None or territory["within_id"] == within_id)
            and (owner_id is None or territory["owner_id"] == owner_id)
        ]
        shown = [{**territory} for territory in _page(found, offset)]
        return _found({"total": len(found), "territories": shown}, self._names_of_territories(shown))

    def list_companies(
        self,
        name: Text | None = None,
        territory_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the companies, oldest first, all of them or only some.

        Args:
            name (str, optional): Only companies whose name contains this text.
            territory_id (str, optional): Only companies of this territory.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "companies": records}}
        """
        if territory_id is not None and territory_id not in self.territories:
            return _refused(f"There is no territory {territory_id!r}.")
        found = [
            company
            for company in self.companies.values()
            if (name is None or name.casefold() in company["name"].casefold())
            and (territory_id is None or company["territory_id"] == territory_id)
        ]
        shown = [{**company} for company in _page(found, offset)]
        return _found({"total": len(found), "companies": shown}, self._names_of_companies(shown))

    def list_leads(
        self,
        contact: Text | None = None,
        company_id: str | None = None,
        source: Literal["fair", "website", "referral", "cold_call"] | None = None,
        opportunity_id: str | None = None,
        status: Literal["fresh", "qualified", "dropped"] | None = None,
        came_on_from: Date | None = None,
        came_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leads, oldest first, all of them or only some.

        Args:
            contact (str, optional): Only leads whose contact contains this text.
            company_id (str, optional): Only leads of this company.
            source (str, optional): Only leads with this source.
            opportunity_id (str, optional): Only leads of this opportunity.
            status (str, optional): Only leads with this status.
            came_on_from (str, optional): Only leads whose `came_on` is on this day or later.
            came_on_to (str, optional): Only leads whose `came_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leads": records}}
        """
        if company_id is not None and company_id not in self.companies:
            return _refused(f"There is no company {company_id!r}.")
        if opportunity_id is not None and opportunity_id not in self.opportunities:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        found = [
            lead
            for lead in self.leads.values()
            if (contact is None or contact.casefold() in lead["contact"].casefold())
            and (company_id is None or lead["company_id"] == company_id)
            and (source is None or lead["source"] == source)
            and (opportunity_id is None or lead["opportunity_id"] == opportunity_id)
            and (status is None or lead["status"] == status)
            and (came_on_from is None or lead["came_on"] >= came_on_from)
            and (came_on_to is None or lead["came_on"] <= came_on_to)
        ]
        shown = [{**lead} for lead in _page(found, offset)]
        return _found({"total": len(found), "leads": shown}, self._names_of_leads(shown))

    def list_opportunities(
        self,
        title: Text | None = None,
        company_id: str | None = None,
        owner_id: str | None = None,
        stage: Literal["discovery", "proposal", "lost", "negotiation", "won"] | None = None,
        close_on_from: Date | None = None,
        close_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the opportunities, oldest first, all of them or only some.

        Args:
            title (str, optional): Only opportunities whose title contains this text.
            company_id (str, optional): Only opportunities of this company.
            owner_id (str, optional): Only opportunities whose owner is this rep.
            stage (str, optional): Only opportunities with this stage.
            close_on_from (str, optional): Only opportunities whose `close_on` is on this day or later.
            close_on_to (str, optional): Only opportunities whose `close_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "opportunities": records}}
        """
        if company_id is not None and company_id not in self.companies:
            return _refused(f"There is no company {company_id!r}.")
        if owner_id is not None and owner_id not in self.reps:
            return _refused(f"There is no rep {owner_id!r}.")
        found = [
            opportunity
            for opportunity in self.opportunities.values()
            if (title is None or title.casefold() in opportunity["title"].casefold())
            and (company_id is None or opportunity["company_id"] == company_id)
            and (owner_id is None or opportunity["owner_id"] == owner_id)
            and (stage is None or opportunity["stage"] == stage)
            and (close_on_from is None or opportunity["close_on"] >= close_on_from)
            and (close_on_to is None or opportunity["close_on"] <= close_on_to)
        ]
        shown = [self._show_opportunity(opportunity) for opportunity in _page(found, offset)]
        return _found({"total": len(found), "opportunities": shown}, self._names_of_opportunities(shown))

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

    def list_quotes(
        self,
        opportunity_id: str | None = None,
        prepared_by_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["draft", "sent", "withdrawn", "accepted"] | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the quotes, oldest first, all of them or only some.

        Args:
            opportunity_id (str, optional): Only quotes of this opportunity.
            prepared_by_id (str, optional): Only quotes prepared by this rep.
            approved_by_id (str, optional): Only quotes approved by this rep.
            status (str, optional): Only quotes with this status.
            valid_until_from (str, optional): Only quotes whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only quotes whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "quotes": records}}
        """
        if opportunity_id is not None and opportunity_id not in self.opportunities:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        if prepared_by_id is not None and prepared_by_id not in self.reps:
            return _refused(f"There is no rep {prepared_by_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.reps:
            return _refused(f"There is no rep {approved_by_id!r}.")
        found = [
            quote
            for quote in self.quotes.values()
            if (opportunity_id is None or quote["opportunity_id"] == opportunity_id)
            and (prepared_by_id is None or quote["prepared_by_id"] == prepared_by_id)
            and (approved_by_id is None or quote["approved_by_id"] == approved_by_id)
            and (status is None or quote["status"] == status)
            and (valid_until_from is None or quote["valid_until"] >= valid_until_from)
            and (valid_until_to is None or quote["valid_until"] <= valid_until_to)
        ]
        shown = [{**quote} for quote in _page(found, offset)]
        return _found({"total": len(found), "quotes": shown}, self._names_of_quotes(shown))

    def list_lines(
        self,
        quote_id: str | None = None,
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            quote_id (str, optional): Only lines of this quote.
            product_id (str, optional): Only lines of this product.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if quote_id is not None and quote_id not in self.quotes:
            return _refused(f"There is no quote {quote_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (quote_id is None or line["quote_id"] == quote_id)
            and (product_id is None or line["product_id"] == product_id)
        ]
        shown = [{**line} for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def add_lead(
        self,
        company_id: str,
        contact: Text,
        source: Literal["fair", "website", "referral", "cold_call"],
    ) -> Result:
        """Enter somebody at a company who has shown interest.

        Args:
            company_id (str): Id of the company, such as COMPANY-00001.
            contact (str): Name of the person at the company.
            source (str): How the person came to us: fair, website, referral or cold_call.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        company = self.companies.get(company_id)
        if company is None:
            return _refused(f"There is no company {company_id!r}.")
        if any(
            l["contact"].lower() == contact.lower()
            for l in self._leads_by_company_status.get((company_id, "fresh"), {}).values()
        ):
            return _refused(f"{contact} of {company['name']} is a fresh lead already.")
        self._journal = []
        lead: Lead = {
            "id": self._new_id("lead", "LEAD", self.leads),
            "company_id": company_id,
            "contact": contact,
            "source": source,
            "came_on": self.now[:10],
            "opportunity_id": None,
            "status": "fresh",
        }
        self._add("leads", lead)
        if self._breaks_rule_11_l(lead):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_l_again(lead):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: enter {contact} of {company['name']} as a lead (new: lead {lead['id']}).",
            "data": {"lead_id": lead["id"], **self._changes()},
        }

    def qualify_lead(self, lead_id: str, title: Text, close_on: Date) -> Result:
        """Turn a fresh lead into an opportunity of whoever owns the territory.

        Args:
            lead_id (str): Id of the lead, such as LEAD-00001.
            title (str): Title of the new opportunity, not in use yet.
            close_on (str): Day on which the deal is expected to close, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lead = self.leads.get(lead_id)
        if lead is None:
            return _refused(f"There is no lead {lead_id!r}.")
        if lead["status"] != "fresh":
            return _refused(f"The lead {lead['contact']} is {lead['status']}.")
        if close_on <= self.now[:10]:
            return _refused(f"{close_on} is not ahead.")
        if self._opportunities_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is an opportunity {title} already.")
        other = next(
            (
                o
                for o in sorted(self._opportunities_by_company.get(lead["company_id"], {}).values(), key=_age)
                if self._open_one(o)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.companies[lead['company_id']]['name']} has the open opportunity {other['title']}, so drop "
                "the lead or close that first."
            )
        owner = self.reps[self.territories[self.companies[lead["company_id"]]["territory_id"]]["owner_id"]]
        if self._rep_open_now(owner) >= owner["most_open"]:
            return _refused(
                f"{owner['name']} has {self._rep_open_now(owner)} open opportunities and can take no more."
            )
        self._journal = []
        opportunity: Opportunity = {
            "id": self._new_id("opportunity", "OPPORTUNITY", self.opportunities),
            "title": title,
            "company_id": lead["company_id"],
            "owner_id": owner["id"],
            "close_on": close_on,
            "decider": None,
            "budget": None,
            "closed_on": None,
            "lost_for": None,
            "stage": "discovery",
        }
        self._add("opportunities", opportunity)
        self._put("leads", lead, "opportunity_id", opportunity["id"])
        self._put("leads", lead, "status", "qualified")
        if len(self._opportunities_by_title.get(opportunity["title"], {})) > 1:
            return self._take_back(f"There is already an opportunity with the title {opportunity['title']!r}.")
        if self._breaks_rule_1(opportunity):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(opportunity):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.reps[opportunity["owner_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(opportunity):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(opportunity):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(opportunity):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(opportunity):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_l(lead):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_l_again(lead):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: qualify {lead['contact']} as {title} (new: opportunity {opportunity['id']}).",
            "data": {"opportunity_id": opportunity["id"], **self._changes()},
        }

    def drop_lead(self, lead_id: str) -> Result:
        """Drop a fresh lead.

        Args:
            lead_id (str): Id of the lead, such as LEAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lead = self.leads.get(lead_id)
        if lead is None:
            return _refused(f"There is no lead {lead_id!r}.")
        if lead["status"] != "fresh":
            return _refused(f"The lead {lead['contact']} is {lead['status']}.")
        self._journal = []
        self._put("leads", lead, "status", "dropped")
        if self._breaks_rule_11_l(lead):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: drop the lead {lead['contact']} of {self.companies[lead['company_id']]['name']}.",
            "data": self._changes(),
        }

    def note_findings(
        self,
        opportunity_id: str,
        decider: Text | None = None,
        budget: Annotated[int, {"minimum": 10000, "maximum": 90000000}] | None = None,
        close_on: Date | None = None,
    ) -> Result:
        """Note who decides, what the budget is, or by when the deal is now expected to close.

        Args:
            opportunity_id (str): Id of the opportunity, such as OPPORTUNITY-00001.
            decider (str, optional): Who decides at the company. If left out, what is noted stays.
            budget (int, optional): What the company can spend on it, in cents, from 10000 to 90000000. If left
                out, what is noted stays.
            close_on (str, optional): Day on which the deal is now expected to close, from today on, as YYYY-MM-DD.
                If left out, the expected day stays.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        opportunity = self.opportunities.get(opportunity_id)
        if opportunity is None:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        if not self._open_one(opportunity):
            return _refused(f"{opportunity['title']} is {opportunity['stage']}.")
        if decider is None and budget is None and close_on is None:
            return _refused("Say who decides, what the budget is or when it will close.")
        if not (
            decider is not None
            and decider != opportunity["decider"]
            or budget is not None
            and budget != opportunity["budget"]
            or close_on is not None
            and close_on != opportunity["close_on"]
        ):
            return _refused("That is noted already.")
        if close_on is not None and close_on < self.now[:10]:
            return _refused(f"{close_on} is past.")
        self._journal = []
        changed_opportunities: list[Any] = []
        changed_opportunities_2: list[Any] = []
        if decider is not None:
            changed_opportunities.append(opportunity)
            self._put("opportunities", opportunity, "decider", decider)
        if budget is not None:
            changed_opportunities_2.append(opportunity)
            self._put("opportunities", opportunity, "budget", budget)
        if close_on is not None:
            self._put("opportunities", opportunity, "close_on", close_on)
        for one_opportunity in _distinct([*changed_opportunities, *changed_opportunities_2]):
            if self._breaks_rule_4(one_opportunity):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: note findings on {opportunity['title']}.",
            "data": self._changes(),
        }

    def advance_stage(self, opportunity_id: str) -> Result:
        """Move an opportunity to its next stage once the exit criteria of the present one are met; from the
        negotiation on it is won with the quote that was sent.

        Args:
            opportunity_id (str): Id of the opportunity, such as OPPORTUNITY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        opportunity = self.opportunities.get(opportunity_id)
        if opportunity is None:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        if not self._open_one(opportunity):
            return _refused(f"{opportunity['title']} is {opportunity['stage']}.")
        if opportunity["decider"] is None:
            return _refused(f"Nobody knows who decides about {opportunity['title']}, so note that first.")
        if opportunity["budget"] is None:
            return _refused(f"The budget of {opportunity['title']} is not known, so note that first.")
        quote = self._live_quote(opportunity)
        if not (opportunity["stage"] == "discovery" or quote is not None and quote["status"] == "sent"):
            return _refused(f"No quote has been sent for {opportunity['title']}.")
        if not (opportunity["stage"] != "negotiation" or quote is not None and quote["valid_until"] >= self.now[:10]):
            return _refused(f"The quote for {opportunity['title']} has run out, so withdraw it and send a new one.")
        self._journal = []
        changed_opportunities: list[Any] = []
        changed_quotes: list[Any] = []
        changed_opportunities_2: list[Any] = []
        if opportunity["stage"] == "discovery":
            if opportunity["stage"] not in ("discovery", "proposal"):
                return self._take_back(
                    f"Opportunity {opportunity['title']} cannot go from {opportunity['stage']} to proposal."
                )
            changed_opportunities.append(opportunity)
            self._put("opportunities", opportunity, "stage", "proposal")
        else:
            if opportunity["stage"] == "proposal":
                if opportunity["stage"] not in ("proposal", "negotiation"):
                    return self._take_back(
                        f"Opportunity {opportunity['title']} cannot go from {opportunity['stage']} to negotiation."
                    )
                changed_opportunities.append(opportunity)
                self._put("opportunities", opportunity, "stage", "negotiation")
            else:
                for q in sorted(
                    self._quotes_by_opportunity_status.get((opportunity_id, "sent"), {}).values(),
                    key=_age,
                ):
                    if q["status"] not in ("sent", "accepted"):
                        return self._take_back(f"Quote {q['id']} cannot go from {q['status']} to accepted.")
                    changed_quotes.append(q)
                    self._put("quotes", q, "status", "accepted")
                changed_opportunities_2.append(opportunity)
                self._put("opportunities", opportunity, "closed_on", self.now[:10])
                if opportunity["stage"] not in ("negotiation", "won"):
                    return self._take_back(
                        f"Opportunity {opportunity['title']} cannot go from {opportunity['stage']} to won."
                    )
                changed_opportunities.append(opportunity)
                self._put("opportunities", opportunity, "stage", "won")
        for one_opportunity in _distinct(changed_opportunities):
            if self._breaks_rule_1(one_opportunity):
                return self._take_back(RULES[0])
        for one_opportunity in _distinct(changed_opportunities):
            if self._breaks_rule_2(one_opportunity):
                return self._take_back(RULES[1])
        for one_rep in _distinct([self.reps[one["owner_id"]] for one in changed_opportunities]):
            if self._breaks_rule_3(one_rep):
                return self._take_back(RULES[2])
        for one_opportunity in _distinct(changed_opportunities):
            if self._breaks_rule_4(one_opportunity):
                return self._take_back(RULES[3])
        for one_opportunity in _distinct(
            [*changed_opportunities, *[self.opportunities[one["opportunity_id"]] for one in changed_quotes]]
        ):
            if self._breaks_rule_5(one_opportunity):
                return self._take_back(RULES[4])
        for one_opportunity in _distinct(
            [*changed_opportunities, *[self.opportunities[one["opportunity_id"]] for one in changed_quotes]]
        ):
            if self._breaks_rule_6_o(one_opportunity):
                return self._take_back(RULES[5])
        for one_quote in _distinct(changed_quotes):
            if self._breaks_rule_6_q(one_quote):
                return self._take_back(RULES[5])
        for one_quote in _distinct(changed_quotes):
            if self._breaks_rule_7_q(one_quote):
                return self._take_back(RULES[6])
        for one_quote in _distinct(changed_quotes):
            if self._breaks_rule_8_q(one_quote):
                return self._take_back(RULES[7])
        for one_opportunity in _distinct([*changed_opportunities, *changed_opportunities_2]):
            if self._breaks_rule_10(one_opportunity):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: advance {opportunity['title']}.", "data": self._changes()}

    def lose_opportunity(self, opportunity_id: str, reason: Text) -> Result:
        """Close an open opportunity as lost; its quote is withdrawn.

        Args:
            opportunity_id (str): Id of the opportunity, such as OPPORTUNITY-00001.
            reason (str): Why the deal was lost.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        opportunity = self.opportunities.get(opportunity_id)
        if opportunity is None:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        if not self._open_one(opportunity):
            return _refused(f"{opportunity['title']} is {opportunity['stage']}.")
        self._journal = []
        changed_quotes: list[Any] = []
        for q in [
            q
            for q in sorted(self._quotes_by_opportunity.get(opportunity_id, {}).values(), key=_age)
            if q["status"] in ("draft", "sent")
        ]:
            if q["status"] not in ("draft", "sent", "withdrawn"):
                return self._take_back(f"Quote {q['id']} cannot go from {q['status']} to withdrawn.")
            changed_quotes.append(q)
            self._put("quotes", q, "status", "withdrawn")
        self._put("opportunities", opportunity, "lost_for", reason)
        self._put("opportunities", opportunity, "closed_on", self.now[:10])
        if opportunity["stage"] not in ("discovery", "proposal", "lost", "negotiation"):
            return self._take_back(
                f"Opportunity {opportunity['title']} cannot go from {opportunity['stage']} to lost."
            )
        self._put("opportunities", opportunity, "stage", "lost")
        if self._breaks_rule_1(opportunity):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(opportunity):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.reps[opportunity["owner_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(opportunity):
            return self._take_back(RULES[3])
        for one_opportunity in _distinct(
            [opportunity, *[self.opportunities[one["opportunity_id"]] for one in changed_quotes]]
        ):
            if self._breaks_rule_5(one_opportunity):
                return self._take_back(RULES[4])
        for one_opportunity in _distinct(
            [opportunity, *[self.opportunities[one["opportunity_id"]] for one in changed_quotes]]
        ):
            if self._breaks_rule_6_o(one_opportunity):
                return self._take_back(RULES[5])
        for one_quote in _distinct(changed_quotes):
            if self._breaks_rule_6_q(one_quote):
                return self._take_back(RULES[5])
        for one_quote in _distinct(changed_quotes):
            if self._breaks_rule_7_q(one_quote):
                return self._take_back(RULES[6])
        for one_quote in _distinct(changed_quotes):
            if self._breaks_rule_8_q(one_quote):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(opportunity):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: close {opportunity['title']} as lost because of {reason}.",
            "data": self._changes(),
        }

    def draft_quote(
        self,
        opportunity_id: str,
        discount: Annotated[int, {"minimum": 0, "maximum": 60}],
        valid_until: Date,
        lines: Annotated[list[DraftQuoteLine], {"maxItems": 20}],
    ) -> Result:
        """Prepare a quote at today's list prices, by the owner of an opportunity whose decider and budget are known.

        Args:
            opportunity_id (str): Id of the opportunity, such as OPPORTUNITY-00001.
            discount (int): Percent off the list prices of the whole quote, from 0 to 60.
            valid_until (str): Last day of the quote, 1 to 120 days ahead, as YYYY-MM-DD.
            lines (list): One entry for each product, each product only once: product_id: product that is quoted;
                an id such as PRODUCT-00001; quantity: pieces of it, from 1 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        opportunity = self.opportunities.get(opportunity_id)
        if opportunity is None:
            return _refused(f"There is no opportunity {opportunity_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["product_id"] not in self.products:
                return _refused(f"There is no product {entry['product_id']!r}.")
            lines.append({"product": self.products[entry["product_id"]], "quantity": entry["quantity"]})
        if opportunity["stage"] != "proposal":
            return _refused(
                f"{opportunity['title']} is in {opportunity['stage']}; quotes are drafted in the proposal stage "
                "and replaced in the negotiation."
            )
        if self._live_quote(opportunity) is not None:
            return _refused(f"{opportunity['title']} has a quote under way, so withdraw that first.")
        if not (len(lines) > 0 and _different([x["product"]["id"] for x in lines])):
            return _refused("Name at least one product, and each once.")
        if self.now[:10] >= valid_until or valid_until > _plus_days(self.now[:10], 120):
            return _refused("A quote is valid for 1 to 120 days.")
        if len(self._quotes_by_opportunity.get(opportunity_id, {})) >= 49:
            return _refused(f"{opportunity['title']} has had too many quotes.")
        self._journal = []
        added_lines: list[Any] = []
        number = (
            (
                max((q["number"] for q in self._quotes_by_opportunity.get(opportunity_id, {}).values()), default=None)
                if max(
                    (q["number"] for q in self._quotes_by_opportunity.get(opportunity_id, {}).values()),
                    default=None,
                ) is not None
                else 0
            )
            + 1
        )
        if not 1 <= number <= 50:
            return self._take_back("The number of a quote must be between 1 and 50.")
        quote: Quote = {
            "id": self._new_id("quote", "QUOTE", self.quotes),
            "opportunity_id": opportunity_id,
            "number": number,
            "prepared_by_id": opportunity["owner_id"],
            "discount": discount,
            "valid_until": valid_until,
            "approved_by_id": None,
            "status": "draft",
        }
        self._add("quotes", quote)
        for x in sorted(lines, key=lambda x: (x["product"]["name"],)):
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "quote_id": quote["id"],
                "product_id": x["product"]["id"],
                "quantity": x["quantity"],
                "price": x["product"]["price"],
            }
            self._add("lines", line)
            added_lines.append(line)
        if self._breaks_rule_5(self.opportunities[quote["opportunity_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(self.opportunities[quote["opportunity_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_q(quote):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_q(quote):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_q_again(quote):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_q(quote):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_q_again(quote):
            return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: prepare a quote for {opportunity['title']} with {discount} percent off (new: quote "
                f"{quote['id']})."
            ),
            "data": {"quote_id": quote["id"], **self._changes()},
        }

    def approve_quote(self, quote_id: str, by_id: str) -> Result:
        """Approve the discount of a draft quote as somebody above whoever prepared it.

        Args:
            quote_id (str): Id of the quote, such as QUOTE-00001.
            by_id (str): Person above whoever prepared it, whose own limit covers the discount; an id such as
                REP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        quote = self.quotes.get(quote_id)
        if quote is None:
            return _refused(f"There is no quote {quote_id!r}.")
        by = self.reps.get(by_id)
        if by is None:
            return _refused(f"There is no rep {by_id!r}.")
        if quote["status"] != "draft":
            return _refused(f"The quote is {quote['status']}.")
        if quote["discount"] <= self.reps[quote["prepared_by_id"]]["discount_limit"]:
            return _refused(
                f"{self.reps[quote['prepared_by_id']]['name']} may give {quote['discount']} percent without approval."
            )
        if by not in _above(self.reps, self.reps[quote["prepared_by_id"]], "manager_id"):
            return _refused(f"{by['name']} is not above {self.reps[quote['prepared_by_id']]['name']}.")
        if by["discount_limit"] < quote["discount"]:
            return _refused(f"{by['name']} may approve {by['discount_limit']} percent at most.")
        self._journal = []
        self._put("quotes", quote, "approved_by_id", by_id)
        if self._breaks_rule_8_q(quote):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_q_again(quote):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: approve {quote['discount']} percent for "
                f"{self.opportunities[quote['opportunity_id']]['title']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def send_quote(self, quote_id: str) -> Result:
        """Send a draft quote to the customer.

        Args:
            quote_id (str): Id of the quote, such as QUOTE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        quote = self.quotes.get(quote_id)
        if quote is None:
            return _refused(f"There is no quote {quote_id!r}.")
        if quote["status"] != "draft":
            return _refused(f"The quote is {quote['status']}.")
        if not self._signed(quote):
            return _refused(
                f"{quote['discount']} percent is above what {self.reps[quote['prepared_by_id']]['name']} may "
                "give, so somebody above must approve it."
            )
        if quote["valid_until"] < self.now[:10]:
            return _refused("The quote has run out.")
        self._journal = []
        self._put("quotes", quote, "status", "sent")
        if self._breaks_rule_5(self.opportunities[quote["opportunity_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(self.opportunities[quote["opportunity_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_q(quote):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_q(quote):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_q(quote):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: send the quote for {self.opportunities[quote['opportunity_id']]['title']}.",
            "data": self._changes(),
        }

    def withdraw_quote(
        self,
        quote_id: str,
        new_discount: Annotated[int, {"minimum": 0, "maximum": 60}] | None = None,
        new_until: Date | None = None,
        approved_by_id: str | None = None,
    ) -> Result:
        """Withdraw a quote that is a draft or was sent, or replace one that was sent by the same on other terms,
        approved by somebody above the owner where the discount is above the owner's limit; while the opportunity
        is negotiated it can only be replaced.

        Args:
            quote_id (str): Id of the quote, such as QUOTE-00001.
            new_discount (int, optional): Percent off in the quote that replaces a sent one, together with
                new_until, from 0 to 60. If left out, the quote is withdrawn without a replacement.
            new_until (str, optional): Last day of the replacement, 1 to 120 days ahead, together with
                new_discount, as YYYY-MM-DD. If left out, the quote is withdrawn without a replacement.
            approved_by_id (str, optional): Person above the owner whose limit covers the new discount; an id such
                as REP-00001. If left out, the owner's own limit must cover it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        quote = self.quotes.get(quote_id)
        if quote is None:
            return _refused(f"There is no quote {quote_id!r}.")
        approved_by = self.reps.get(approved_by_id) if approved_by_id is not None else None
        if approved_by_id is not None and approved_by is None:
            return _refused(f"There is no rep {approved_by_id!r}.")
        if quote["status"] not in ("draft", "sent"):
            return _refused(f"The quote is {quote['status']}.")
        if (new_discount is None) != (new_until is None):
            return _refused("A replacement needs both a discount and a last day.")
        if self.opportunities[quote["opportunity_id"]]["stage"] == "negotiation" and new_discount is None:
            return _refused(
                f"{self.opportunities[quote['opportunity_id']]['title']} is being negotiated, so give the "
                "discount and the last day of the quote that replaces this one."
            )
        if not (new_until is None or self.now[:10] < new_until and new_until <= _plus_days(self.now[:10], 120)):
            return _refused("A quote is valid for 1 to 120 days.")
        if (
            approved_by_id is not None
            and approved_by not in _above(
                self.reps,
                self.reps[self.opportunities[quote["opportunity_id"]]["owner_id"]],
                "manager_id",
            )
        ):
            return _refused(
                f"{approved_by['name']} is not above "
                f"{self.reps[self.opportunities[quote['opportunity_id']]['owner_id']]['name']}."
            )
        if not (
            new_discount is None
            or new_discount <= self.reps[self.opportunities[quote["opportunity_id"]]["owner_id"]]["discount_limit"]
            or approved_by_id is not None
            and approved_by["discount_limit"] >= new_discount
        ):
            return _refused(
                f"{self.reps[self.opportunities[quote['opportunity_id']]['owner_id']]['name']} may give "
                f"{self.reps[self.opportunities[quote['opportunity_id']]['owner_id']]['discount_limit']} percent; "
                f"name somebody above whose limit covers {new_discount}."
            )
        if new_discount is not None and quote["status"] != "sent":
            return _refused("Only a quote that was sent is replaced.")
        if quote["number"] >= 49:
            return _refused("There have been too many quotes.")
        done = f"withdraw the quote for {self.opportunities[quote['opportunity_id']]['title']}"
        if new_discount is not None:
            done += f" in favour of one with {new_discount} percent"
        if new_until is not None:
            done += f" until {new_until}"
        self._journal = []
        added_quotes: list[Any] = []
        added_lines: list[Any] = []
        changed_quotes: list[Any] = []
        self._put("quotes", quote, "status", "withdrawn")
        if new_discount is not None and new_until is not None:
            number = (
                (
                    max(
                        (q["number"] for q in self._quotes_by_opportunity.get(quote["opportunity_id"], {}).values()),
                        default=None,
                    )
                    if max(
                        (q["number"] for q in self._quotes_by_opportunity.get(quote["opportunity_id"], {}).values()),
                        default=None,
                    ) is not None
                    else 0
                )
                + 1
            )
            if not 1 <= number <= 50:
                return self._take_back("The number of a quote must be between 1 and 50.")
            other = {
                "id": self._new_id("quote", "QUOTE", self.quotes),
                "opportunity_id": quote["opportunity_id"],
                "number": number,
                "prepared_by_id": self.opportunities[quote["opportunity_id"]]["owner_id"],
                "discount": new_discount,
                "valid_until": new_until,
                "approved_by_id": approved_by_id,
                "status": "draft",
            }
            self._add("quotes", other)
            added_quotes.append(other)
            for x in list(self._lines_of(quote)):
                line = {
                    "id": self._new_id("line", "LINE", self.lines),
                    "quote_id": other["id"],
                    "product_id": x["product_id"],
                    "quantity": x["quantity"],
                    "price": x["price"],
                }
                self._add("lines", line)
                added_lines.append(line)
            if other["status"] not in ("draft", "sent"):
                return self._take_back(f"Quote {other['id']} cannot go from {other['status']} to sent.")
            changed_quotes.append(other)
            self._put("quotes", other, "status", "sent")
        for one_opportunity in _distinct(
            [
                self.opportunities[quote["opportunity_id"]],
                *[self.opportunities[one["opportunity_id"]] for one in added_quotes],
                *[self.opportunities[one["opportunity_id"]] for one in changed_quotes],
            ]
        ):
            if self._breaks_rule_5(one_opportunity):
                return self._take_back(RULES[4])
        for one_opportunity in _distinct(
            [
                self.opportunities[quote["opportunity_id"]],
                *[self.opportunities[one["opportunity_id"]] for one in added_quotes],
                *[self.opportunities[one["opportunity_id"]] for one in changed_quotes],
            ]
        ):
            if self._breaks_rule_6_o(one_opportunity):
                return self._take_back(RULES[5])
        for one_quote in _distinct([quote, *added_quotes, *changed_quotes]):
            if self._breaks_rule_6_q(one_quote):
                return self._take_back(RULES[5])
        for one_quote in _distinct([quote, *added_quotes, *changed_quotes]):
            if self._breaks_rule_7_q(one_quote):
                return self._take_back(RULES[6])
        for one_quote in _distinct(added_quotes):
            if self._breaks_rule_7_q_again(one_quote):
                return self._take_back(RULES[6])
        for one_quote in _distinct([quote, *added_quotes, *changed_quotes]):
            if self._breaks_rule_8_q(one_quote):
                return self._take_back(RULES[7])
        for one_quote in _distinct(added_quotes):
            if self._breaks_rule_8_q_again(one_quote):
                return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_over_territory(self, territory_id: str, rep_id: str) -> Result:
        """Give a territory to another sales person, with its open opportunities.

        Args:
            territory_id (str): Id of the territory, such as TERRITORY-00001.
            rep_id (str): Id of the rep, such as REP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        territory = self.territories.get(territory_id)
        if territory is None:
            return _refused(f"There is no territory {territory_id!r}.")
        rep = self.reps.get(rep_id)
        if rep is None:
            return _refused(f"There is no rep {rep_id!r}.")
        if rep_id == territory["owner_id"]:
            return _refused(f"{rep['name']} owns {territory['name']} already.")
        coming = sum(
            1
            for _company in self._companies_by_territory.get(territory_id, {}).values()
            for o in self._opportunities_by_company.get(_company["id"], {}).values()
            if self._open_one(o)
        )
        if self._rep_open_now(rep) + coming > rep["most_open"]:
            return _refused(
                f"{rep['name']} has {self._rep_open_now(rep)} open opportunities and {coming} would come, more "
                f"than {rep['most_open']}."
            )
        self._journal = []
        changed_opportunities: list[Any] = []
        former_owner_ids: list[Any] = []
        self._put("territories", territory, "owner_id", rep_id)
        for o in [
            o
            for o in sorted(
                [
                    o
                    for _company in self._companies_by_territory.get(territory_id, {}).values()
                    for o in self._opportunities_by_company.get(_company["id"], {}).values()
                ],
                key=_age,
            )
            if self._open_one(o)
        ]:
            changed_opportunities.append(o)
            former_owner_ids.append(o["owner_id"])
            self._put("opportunities", o, "owner_id", rep_id)
        for one_opportunity in _distinct(
            [
                *[
                    user
                    for one in self._companies_by_territory.get(territory["id"], {}).values()
                    for user in self._opportunities_by_company.get(one["id"], {}).values()
                ],
                *changed_opportunities,
            ]
        ):
            if self._breaks_rule_2(one_opportunity):
                return self._take_back(RULES[1])
        for one_rep in _distinct(
            [
                *[self.reps[one["owner_id"]] for one in changed_opportunities],
                *[self.reps.get(key) for key in former_owner_ids],
            ]
        ):
            if self._breaks_rule_3(one_rep):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: hand {territory['name']} over to {rep['name']}.",
            "data": self._changes(),
        }

    def _show_rep(self, rep: Rep) -> dict[str, Any]:
        """The rep as an answer shows it."""
        return {**rep, "open_now": self._rep_open_now(rep)}

    def _show_opportunity(self, opportunity: Opportunity) -> dict[str, Any]:
        """The opportunity as an answer shows it."""
        return {**opportunity, "worth": self._opportunity_worth(opportunity)}

    def _names_of_reps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reps point to."""
        return _names((self.reps, "name", [row["manager_id"] for row in shown]))

    def _names_of_territories(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that territories point to."""
        return _names(
            (self.territories, "name", [row["within_id"] for row in shown]),
            (self.reps, "name", [row["owner_id"] for row in shown]),
        )

    def _names_of_companies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that companies point to."""
        return _names((self.territories, "name", [row["territory_id"] for row in shown]))

    def _names_of_leads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leads point to."""
        return _names(
            (self.companies, "name", [row["company_id"] for row in shown]),
            (self.opportunities, "title", [row["opportunity_id"] for row in shown]),
        )

    def _names_of_opportunities(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that opportunities point to."""
        return _names(
            (self.companies, "name", [row["company_id"] for row in shown]),
            (self.reps, "name", [row["owner_id"] for row in shown]),
        )

    def _names_of_quotes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that quotes point to."""
        return _names(
            (self.opportunities, "title", [row["opportunity_id"] for row in shown]),
            (self.reps, "name", [row["prepared_by_id"] for row in shown]),
            (self.reps, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names((self.products, "name", [row["product_id"] for row in shown]))

    def _rep_open_now(self, rep: Rep) -> int:
        """The open now of a rep."""
        return sum(1 for o in self._opportunities_by_owner.get(rep["id"], {}).values() if self._open_one(o))

    def _opportunity_worth(self, opportunity: Opportunity) -> int:
        """The worth of an opportunity."""
        return sum(
            self._total(q)
            for q in self._quotes_by_opportunity.get(opportunity["id"], {}).values()
            if q["status"] in ("sent", "accepted")
        )

    def _open_one(self, o: Opportunity) -> bool:
        return o["stage"] in ("discovery", "proposal", "negotiation")

    def _before_discount(self, q: Quote) -> int:
        return sum(x["quantity"] * x["price"] for x in self._lines_by_quote.get(q["id"], {}).values())

    def _total(self, q: Quote) -> int:
        return _rounded(Fraction(self._before_discount(q) * (100 - q["discount"]), 100))

    def _live_quote(self, o: Opportunity) -> Quote | None:
        return next(
            (
                q
                for q in sorted(self._quotes_by_opportunity.get(o["id"], {}).values(), key=_age)
                if q["status"] in ("draft", "sent")
            ),
            None,
        )

    def _lines_of(self, q: Quote | None) -> list[Line]:
        return [
            x
            for x in sorted(self._lines_by_quote.get(q["id"] if q is not None else None, {}).values(), key=_age)
            if q is not None
        ]

    def _signed(self, q: Quote) -> bool:
        return (
            q["discount"] <= self.reps[q["prepared_by_id"]]["discount_limit"]
            or q["approved_by_id"] is not None and self.reps[q["approved_by_id"]]["discount_limit"] >= q["discount"]
        )

    def _may_approve(self, r: Rep, q: Quote) -> bool:
        return (
            r in _above(self.reps, self.reps[q["prepared_by_id"]], "manager_id")
            and r["discount_limit"] >= q["discount"]
        )

    def _known(self, o: Opportunity) -> bool:
        return o["decider"] is not None and o["budget"] is not None

    def _breaks_rule_1(self, o: Opportunity) -> bool:
        """Whether this is broken: a company has at most one open opportunity."""
        return (
            self._open_one(o)
            and any(
                other_o is not o
                for other_o in self._opportunities_by_company.get(o["company_id"], {}).values()
                if self._open_one(other_o)
            )
        )

    def _breaks_rule_2(self, o: Opportunity) -> bool:
        """Whether this is broken: an open opportunity belongs to the owner of the company's territory."""
        return (
            self._open_one(o)
            and o["owner_id"] != self.territories[self.companies[o["company_id"]]["territory_id"]]["owner_id"]
        )

    def _breaks_rule_3(self, r: Rep) -> bool:
        """Whether this is broken: nobody has more open opportunities than they can look after."""
        return self._rep_open_now(r) > r["most_open"]

    def _breaks_rule_4(self, o: Opportunity) -> bool:
        """Whether this is broken: from the proposal on, the decider and the budget are known."""
        return o["stage"] in ("proposal", "negotiation", "won") and not self._known(o)

    def _breaks_rule_5(self, o: Opportunity) -> bool:
        """Whether this is broken: from the negotiation on, a quote has been sent."""
        return (
            o["stage"] in ("negotiation", "won")
            and not any(
                q["status"] in ("sent", "accepted")
                for q in self._quotes_by_opportunity.get(o["id"], {}).values()
            )
        )

    def _breaks_rule_6_o(self, o: Opportunity) -> bool:
        """Whether this is broken: an opportunity is won exactly when a quote was accepted, and no two are."""
        return (o["stage"] == "won") != any(
            q["status"] == "accepted"
            for q in self._quotes_by_opportunity.get(o["id"], {}).values()
        )

    def _breaks_rule_6_q(self, q: Quote) -> bool:
        """Whether this is broken: an opportunity is won exactly when a quote was accepted, and no two are."""
        return (
            q["status"] == "accepted"
            and any(
                other_q is not q
                for other_q in self._quotes_by_opportunity_status.get((q["opportunity_id"], "accepted"), {}).values()
            )
        )

    def _breaks_rule_7_q(self, q: Quote) -> bool:
        """Whether this is broken: an opportunity has one quote in preparation or with the customer at a time, and
        their numbers differ.
        """
        return (
            q["status"] in ("draft", "sent")
            and any(
                other_q is not q
                for other_q in self._quotes_by_opportunity.get(q["opportunity_id"], {}).values()
                if other_q["status"] in ("draft", "sent")
            )
        )

    def _breaks_rule_7_q_again(self, q: Quote) -> bool:
        """Whether this is broken: an opportunity has one quote in preparation or with the customer at a time, and
        their numbers differ.
        """
        return any(
            other_q is not q
            for other_q in self._quotes_by_opportunity.get(q["opportunity_id"], {}).values()
            if other_q["number"] == q["number"]
        )

    def _breaks_rule_8_q(self, q: Quote) -> bool:
        """Whether this is broken: a discount above the limit of whoever prepared the quote is approved by somebody
        above them whose limit covers it, before it is sent.
        """
        return q["status"] in ("sent", "accepted") and not self._signed(q)

    def _breaks_rule_8_q_again(self, q: Quote) -> bool:
        """Whether this is broken: a discount above the limit of whoever prepared the quote is approved by somebody
        above them whose limit covers it, before it is sent.
        """
        return (
            q["approved_by_id"] is not None
            and self.reps[q["approved_by_id"]] not in _above(self.reps, self.reps[q["prepared_by_id"]], "manager_id")
        )

    def _breaks_rule_9(self, x: Line) -> bool:
        """Whether this is broken: a quote names each product once."""
        return any(
            other_x is not x
            for other_x in self._lines_by_quote_product.get((x["quote_id"], x["product_id"]), {}).values()
        )

    def _breaks_rule_10(self, o: Opportunity) -> bool:
        """Whether this is broken: whatever is lost has a reason, and what is closed has a day."""
        return (
            (o["stage"] == "lost") != (o["lost_for"] is not None)
            or (o["stage"] in ("won", "lost")) != (o["closed_on"] is not None)
        )

    def _breaks_rule_11_l(self, l: Lead) -> bool:
        """Whether this is broken: a qualified lead led to an opportunity of the same company, and no other lead did.
        """
        return (l["status"] == "qualified") != (l["opportunity_id"] is not None)

    def _breaks_rule_11_l_again(self, l: Lead) -> bool:
        """Whether this is broken: a qualified lead led to an opportunity of the same company, and no other lead did.
        """
        return (
            l["opportunity_id"] is not None
            and self.opportunities[l["opportunity_id"]]["company_id"] != l["company_id"]
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
            case "companies":
                self._companies_by_territory.setdefault(record["territory_id"], {})[record["id"]] = record
            case "leads":
                self._leads_by_company_status.setdefault(
                    (record["company_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "opportunities":
                self._opportunities_by_company.setdefault(record["company_id"], {})[record["id"]] = record
                self._opportunities_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._opportunities_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
                self._opportunities_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "quotes":
                self._quotes_by_opportunity.setdefault(record["opportunity_id"], {})[record["id"]] = record
                self._quotes_by_opportunity_status.setdefault(
                    (record["opportunity_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "lines":
                self._lines_by_quote.setdefault(record["quote_id"], {})[record["id"]] = record
                self._lines_by_quote_product.setdefault(
                    (record["quote_id"], record["product_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "companies":
                del self._companies_by_territory[record["territory_id"]][record["id"]]
            case "leads":
                del self._leads_by_company_status[record["company_id"], record["status"]][record["id"]]
            case "opportunities":
                del self._opportunities_by_company[record["company_id"]][record["id"]]
                del self._opportunities_by_lower_title[record["title"].lower()][record["id"]]
                del self._opportunities_by_owner[record["owner_id"]][record["id"]]
                del self._opportunities_by_title[record["title"]][record["id"]]
            case "quotes":
                del self._quotes_by_opportunity[record["opportunity_id"]][record["id"]]
                del self._quotes_by_opportunity_status[record["opportunity_id"], record["status"]][record["id"]]
            case "lines":
                del self._lines_by_quote[record["quote_id"]][record["id"]]
                del self._lines_by_quote_product[record["quote_id"], record["product_id"]][record["id"]]
