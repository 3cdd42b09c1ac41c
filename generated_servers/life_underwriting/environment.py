"""Life underwriting. Compiled from blueprint.yaml; run `envscaler build life_underwriting` after changing it there.

Underwrites life insurance, with medical evidence by age and sum, debit points that make loadings, exclusions,
authority of underwriters, beneficiaries whose shares make 100, and offers that lapse.
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
    "An offer rests on all the evidence that age and sum demand.",
    "Nobody with more than 200 points is insured.",
    "A proposal has one finding for each kind of evidence.",
    "Beneficiaries never share more than 100 percent, and exactly that once there is an offer.",
    "A beneficiary is named once for a proposal, and is not the applicant.",
    "A proposal is assessed by an underwriter with authority for the sum.",
    "The cover of a person is never more than fifteen times the income.",
    "Nobody is older than the product allows.",
    "A proposal has at most three exclusions, each once.",
    "A proposal has one open offer at a time.",
    "Only offered proposals have an open offer, and only those in force an accepted one.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "submit_proposal",
    "record_finding",
    "change_sum",
    "set_share",
    "add_exclusion",
    "assess_proposal",
    "decline_proposal",
    "withdraw_proposal",
    "make_offer",
    "accept_offer",
    "lapse_offer",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "applicants": ("name",),
    "products": ("name",),
    "evidences": ("name",),
    "underwriters": ("name",),
    "proposals": ("number",),
    "findings": (),
    "beneficiaries": ("name",),
    "offers": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("beneficiaries", "proposal_id"),
    ("findings", "evidence_id"),
    ("findings", "hazard"),
    ("findings", "proposal_id"),
    ("offers", "proposal_id"),
    ("offers", "status"),
    ("proposals", "applicant_id"),
    ("proposals", "number"),
    ("proposals", "product_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Applicant(TypedDict):
    id: str
    name: str
    born: str
    smoker: bool
    income: int


class Product(TypedDict):
    id: str
    name: str
    rate: int
    oldest: int


class Evidence(TypedDict):
    id: str
    name: str
    from_sum: int
    from_age: int


class Underwriter(TypedDict):
    id: str
    name: str
    authority: int


class Proposal(TypedDict):
    id: str
    number: str
    applicant_id: str
    product_id: str
    sum_insured: int
    received_on: str
    underwriter_id: str | None
    excluded: list[Literal["diving", "climbing", "aviation", "racing", "back_pain", "war_zones"]]
    status: Literal["collecting", "assessed", "declined", "withdrawn", "offered", "in_force"]


class Finding(TypedDict):
    id: str
    proposal_id: str
    evidence_id: str
    points: int
    hazard: Literal["diving", "climbing", "aviation", "racing", "back_pain", "war_zones"] | None
    on: str


class Beneficiary(TypedDict):
    id: str
    proposal_id: str
    name: str
    percent: int


class Offer(TypedDict):
    id: str
    proposal_id: str
    premium: int
    made_on: str
    valid_until: str
    status: Literal["open", "accepted", "lapsed"]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


class LifeUnderwriting:
    """Underwrites life insurance, with medical evidence by age and sum, debit points that make loadings,
    exclusions, authority of underwriters, beneficiaries whose shares make 100, and offers that lapse.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.applicants: dict[str, Applicant] = _copied(config.get("applicants", {}))
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.evidences: dict[str, Evidence] = _copied(config.get("evidences", {}))
        self.underwriters: dict[str, Underwriter] = _copied(config.get("underwriters", {}))
        self.proposals: dict[str, Proposal] = _copied(config.get("proposals", {}))
        self.findings: dict[str, Finding] = _copied(config.get("findings", {}))
        self.beneficiaries: dict[str, Beneficiary] = _copied(config.get("beneficiaries", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.now: str = config.get("now", "2026-11-17T10:20")
        self.counters: dict[str, int] = {
            "applicant": len(self.applicants),
            "product": len(self.products),
            "evidence": len(self.evidences),
            "underwriter": len(self.underwriters),
            "proposal": len(self.proposals),
            "finding": len(self.findings),
            "beneficiary": len(self.beneficiaries),
            "offer": len(self.offers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._proposals_by_applicant: dict[Any, dict[str, Proposal]] = {}
        self._proposals_by_applicant_product: dict[Any, dict[str, Proposal]] = {}
        self._proposals_by_lower_number: dict[Any, dict[str, Proposal]] = {}
        self._proposals_by_number: dict[Any, dict[str, Proposal]] = {}
        self._findings_by_proposal: dict[Any, dict[str, Finding]] = {}
        self._findings_by_proposal_evidence: dict[Any, dict[str, Finding]] = {}
        self._findings_by_proposal_hazard: dict[Any, dict[str, Finding]] = {}
        self._beneficiaries_by_proposal: dict[Any, dict[str, Beneficiary]] = {}
        self._offers_by_proposal: dict[Any, dict[str, Offer]] = {}
        self._offers_by_proposal_status: dict[Any, dict[str, Offer]] = {}
        self._offers_by_status: dict[Any, dict[str, Offer]] = {}
        for proposal in self.proposals.values():
            self._link("proposals", proposal)
        for finding in self.findings.values():
            self._link("findings", finding)
        for beneficiary in self.beneficiaries.values():
            self._link("beneficiaries", beneficiary)
        for offer in self.offers.values():
            self._link("offers", offer)

    def evidence_for(
        self,
        proposal_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The evidence that a proposal needs by age and sum, with what was found.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "evidences": records}} or {"success": False, "error":
                why not}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        found = [e for e in self.evidences.values() if self._wanted(proposal, e)]
        found.sort(key=lambda e: (e["name"], _age(e)))
        return _found(
            {
                "total": len(found),
                "evidences": [
                    {
                        "id": e["id"],
                        "name": e["name"],
                        "there": bool(self._findings_by_proposal_evidence.get((proposal_id, e["id"]), {})),
                        "points": sum(
                            r["points"]
                            for r in self._findings_by_proposal_evidence.get((proposal_id, e["id"]), {}).values()
                        ),
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def quote(self, proposal_id: str) -> Result:
        """How a proposal would be offered today.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.

        Returns:
            dict: {"success": True, "data": {points, insurable, loading_percent, premium, missing_evidence, shares,
                more_cover_possible}} or {"success": False, "error": why not}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        return _found(
            {
                "points": self._proposal_points(proposal),
                "insurable": self._insurable(proposal),
                "loading_percent": self._proposal_loading(proposal),
                "premium": self._premium_of(proposal),
                "missing_evidence": self._missing_count(proposal),
                "shares": self._proposal_shares(proposal),
                "more_cover_possible": self.applicants[proposal["applicant_id"]]["income"] * 15 - self._applicant_cover(
                    self.applicants[proposal["applicant_id"]]
                ),
            }
        )

    def open_offers(
        self,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open offers by the day they end.

        Args:
            until (str, optional): Latest end of the offers that are listed, as YYYY-MM-DD. If left out, all open
                offers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}} or {"success": False, "error": why
                not}
        """
        found = [
            o
            for o in self._offers_by_status.get("open", {}).values()
            if (until is None or o["valid_until"] <= until)
        ]
        found.sort(key=lambda o: (o["valid_until"], self.proposals[o["proposal_id"]]["number"], _age(o)))
        return _found(
            {
                "total": len(found),
                "offers": [
                    {
                        "id": o["id"],
                        "proposal": self.proposals[o["proposal_id"]]["number"],
                        "applicant": self.applicants[self.proposals[o["proposal_id"]]["applicant_id"]]["name"],
                        "premium": o["premium"],
                        "valid_until": o["valid_until"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def list_applicants(
        self,
        name: Text | None = None,
        smoker: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applicants, oldest first, all of them or only some.

        Args:
            name (str, optional): Only applicants whose name contains this text.
            smoker (bool, optional): Only applicants with this value of `smoker`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applicants": records}}
        """
        found = [
            applicant
            for applicant in self.applicants.values()
            if (name is None or name.casefold() in applicant["name"].casefold())
            and (smoker is None or applicant["smoker"] == smoker)
        ]
        return _found(
            {
                "total": len(found),
                "applicants": [self._show_applicant(applicant) for applicant in _page(found, offset)],
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

    def list_evidences(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the evidences, oldest first, all of them or only some.

        Args:
            name (str, optional): Only evidences whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "evidences": records}}
        """
        found = [
            evidence
            for evidence in self.evidences.values()
            if (name is None or name.casefold() in evidence["name"].casefold())
        ]
        return _found({"total": len(found), "evidences": [{**evidence} for evidence in _page(found, offset)]})

    def list_underwriters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the underwriters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only underwriters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "underwriters": records}}
        """
        found = [
            underwriter
            for underwriter in self.underwriters.values()
            if (name is None or name.casefold() in underwriter["name"].casefold())
        ]
        return _found(
            {"total": len(found), "underwriters": [{**underwriter} for underwriter in _page(found, offset)]}
        )

    def list_proposals(
        self,
        number: Text | None = None,
        applicant_id: str | None = None,
        product_id: str | None = None,
        underwriter_id: str | None = None,
        status: Literal["collecting", "assessed", "declined", "withdrawn", "offered", "in_force"] | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proposals, oldest first, all of them or only some.

        Args:
            number (str, optional): Only proposals whose number contains this text.
            applicant_id (str, optional): Only proposals of this applicant.
            product_id (str, optional): Only proposals of this product.
            underwriter_id (str, optional): Only proposals of this underwriter.
            status (str, optional): Only proposals with this status.
            received_on_from (str, optional): Only proposals whose `received_on` is on this day or later.
            received_on_to (str, optional): Only proposals whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proposals": records}}
        """
        if applicant_id is not None and applicant_id not in self.applicants:
            return _refused(f"There is no applicant {applicant_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        if underwriter_id is not None and underwriter_id not in self.underwriters:
            return _refused(f"There is no underwriter {underwriter_id!r}.")
        found = [
            proposal
            for proposal in self.proposals.values()
            if (number is None or number.casefold() in proposal["number"].casefold())
            and (applicant_id is None or proposal["applicant_id"] == applicant_id)
            and (product_id is None or proposal["product_id"] == product_id)
            and (underwriter_id is None or proposal["underwriter_id"] == underwriter_id)
            and (status is None or proposal["status"] == status)
            and (received_on_from is None or proposal["received_on"] >= received_on_from)
            and (received_on_to is None or proposal["received_on"] <= received_on_to)
        ]
        shown = [self._show_proposal(proposal) for proposal in _page(found, offset)]
        return _found({"total": len(found), "proposals": shown}, self._names_of_proposals(shown))

    def list_findings(
        self,
        proposal_id: str | None = None,
        evidence_id: str | None = None,
        hazard: Literal["diving", "climbing", "aviation", "racing", "back_pain", "war_zones"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the findings, oldest first, all of them or only some.

        Args:
            proposal_id (str, optional): Only findings of this proposal.
            evidence_id (str, optional): Only findings of this evidence.
            hazard (str, optional): Only findings with this hazard.
            on_from (str, optional): Only findings whose `on` is on this day or later.
            on_to (str, optional): Only findings whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "findings": records}}
        """
        if proposal_id is not None and proposal_id not in self.proposals:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if evidence_id is not None and evidence_id not in self.evidences:
            return _refused(f"There is no evidence {evidence_id!r}.")
        found = [
            finding
            for finding in self.findings.values()
            if (proposal_id is None or finding["proposal_id"] == proposal_id)
            and (evidence_id is None or finding["evidence_id"] == evidence_id)
            and (hazard is None or finding["hazard"] == hazard)
            and (on_from is None or finding["on"] >= on_from)
            and (on_to is None or finding["on"] <= on_to)
        ]
        shown = [{**finding} for finding in _page(found, offset)]
        return _found({"total": len(found), "findings": shown}, self._names_of_findings(shown))

    def list_beneficiaries(
        self,
        name: Text | None = None,
        proposal_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the beneficiaries, oldest first, all of them or only some.

        Args:
            name (str, optional): Only beneficiaries whose name contains this text.
            proposal_id (str, optional): Only beneficiaries of this proposal.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "beneficiaries": records}}
        """
        if proposal_id is not None and proposal_id not in self.proposals:
            return _refused(f"There is no proposal {proposal_id!r}.")
        found = [
            beneficiary
            for beneficiary in self.beneficiaries.values()
            if (name is None or name.casefold() in beneficiary["name"].casefold())
            and (proposal_id is None or beneficiary["proposal_id"] == proposal_id)
        ]
        shown = [{**beneficiary} for beneficiary in _page(found, offset)]
        return _found({"total": len(found), "beneficiaries": shown}, self._names_of_beneficiaries(shown))

    def list_offers(
        self,
        proposal_id: str | None = None,
        status: Literal["open", "accepted", "lapsed"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            proposal_id (str, optional): Only offers of this proposal.
            status (str, optional): Only offers with this status.
            made_on_from (str, optional): Only offers whose `made_on` is on this day or later.
            made_on_to (str, optional): Only offers whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if proposal_id is not None and proposal_id not in self.proposals:
            return _refused(f"There is no proposal {proposal_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (proposal_id is None or offer["proposal_id"] == proposal_id)
            and (status is None or offer["status"] == status)
            and (made_on_from is None or offer["made_on"] >= made_on_from)
            and (made_on_to is None or offer["made_on"] <= made_on_to)
        ]
        shown = [{**offer} for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def submit_proposal(
        self,
        applicant_id: str,
        product_id: str,
        number: Text,
        sum_insured: Annotated[int, {"minimum": 500000, "maximum": 500000000}],
    ) -> Result:
        """Take a proposal for life insurance in.

        Args:
            applicant_id (str): Id of the applicant, such as APPLICANT-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.
            number (str): Number of the new proposal, not in use yet.
            sum_insured (int): Sum that is paid out when the insured person dies, in cents, from 500000 to
                500000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        applicant = self.applicants.get(applicant_id)
        if applicant is None:
            return _refused(f"There is no applicant {applicant_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if self._proposals_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is a proposal {number} already.")
        if _years(applicant["born"], self.now[:10]) > product["oldest"]:
            return _refused(
                f"{product['name']} is for people up to {product['oldest']}, and {applicant['name']} is "
                f"{_years(applicant['born'], self.now[:10])}."
            )
        if any(
            p["status"] in ("collecting", "assessed", "offered")
            for p in self._proposals_by_applicant_product.get((applicant_id, product_id), {}).values()
        ):
            return _refused(f"{applicant['name']} has a proposal for {product['name']} under way.")
        self._journal = []
        proposal: Proposal = {
            "id": self._new_id("proposal", "PROPOSAL", self.proposals),
            "number": number,
            "applicant_id": applicant_id,
            "product_id": product_id,
            "sum_insured": sum_insured,
            "received_on": self.now[:10],
            "underwriter_id": None,
            "excluded": [],
            "status": "collecting",
        }
        self._add("proposals", proposal)
        if len(self._proposals_by_number.get(proposal["number"], {})) > 1:
            return self._take_back(f"There is already a proposal with the number {proposal['number']!r}.")
        if self._breaks_rule_4_p(proposal):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(proposal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take in proposal {number} of {applicant['name']} (new: proposal {proposal['id']}).",
            "data": {"proposal_id": proposal["id"], **self._changes()},
        }

    def record_finding(
        self,
        proposal_id: str,
        evidence_id: str,
        points: Annotated[int, {"minimum": -25, "maximum": 200}],
        hazard: Literal["diving", "climbing", "aviation", "racing", "back_pain", "war_zones"] | None = None,
    ) -> Result:
        """Record what a piece of evidence shows, in debit points, and the risk they stand for where it is one that
        could be excluded, or correct it before the assessment.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            evidence_id (str): Id of the evidence, such as EVIDENCE-00001.
            points (int): Debit points for what was found, where a negative number speaks for the applicant, from
                -25 to 200.
            hazard (str, optional): Risk behind the points that could be excluded from the cover: diving, climbing,
                aviation, racing, back_pain or war_zones. If left out, no such risk is noted; a correction keeps
                the one noted before.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        evidence = self.evidences.get(evidence_id)
        if evidence is None:
            return _refused(f"There is no evidence {evidence_id!r}.")
        if proposal["status"] != "collecting":
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}.")
        if not (
            self._wanted(proposal, evidence)
            or bool(self._findings_by_proposal_evidence.get((proposal_id, evidence_id), {}))
        ):
            return _refused(f"{evidence['name']} is not needed for {proposal['number']}.")
        if hazard is not None and points <= 0:
            return _refused("A risk that could be excluded weighs at least one point.")
        self._journal = []
        added_findings: list[Any] = []
        changed_findings: list[Any] = []
        changed_findings_2: list[Any] = []
        old = next(
            (
                r
                for r in sorted(
                    self._findings_by_proposal_evidence.get((proposal_id, evidence_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if old is None:
            finding = {
                "id": self._new_id("finding", "FINDING", self.findings),
                "proposal_id": proposal_id,
                "evidence_id": evidence_id,
                "points": points,
                "hazard": hazard,
                "on": self.now[:10],
            }
            self._add("findings", finding)
            added_findings.append(finding)
        else:
            changed_findings.append(old)
            self._put("findings", old, "points", points)
            changed_findings_2.append(old)
            self._put("findings", old, "hazard", hazard if hazard is not None else old["hazard"])
            self._put("findings", old, "on", self.now[:10])
        for one_offer in _distinct(
            [
                user
                for one in [self.proposals[one["proposal_id"]] for one in added_findings]
                for user in self._offers_by_proposal.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(
            [
                *[
                    user
                    for one in [self.proposals[one["proposal_id"]] for one in added_findings]
                    for user in self._offers_by_proposal.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.proposals[one["proposal_id"]] for one in changed_findings]
                    for user in self._offers_by_proposal.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.proposals[one["proposal_id"]] for one in changed_findings_2]
                    for user in self._offers_by_proposal.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_offer):
                return self._take_back(RULES[1])
        for one_finding in _distinct(added_findings):
            if self._breaks_rule_3(one_finding):
                return self._take_back(RULES[2])
        done = f"record {points} points for {evidence['name']} on {proposal['number']}"
        if hazard is not None:
            done += f" because of {hazard}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_sum(
        self,
        proposal_id: str,
        sum_insured: Annotated[int, {"minimum": 500000, "maximum": 500000000}],
    ) -> Result:
        """Change the sum of a proposal; one that was assessed goes back to collecting evidence.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            sum_insured (int): New sum that is paid out when the insured person dies, in cents, from 500000 to
                500000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["status"] not in ("collecting", "assessed"):
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}; let the offer lapse first.")
        if sum_insured == proposal["sum_insured"]:
            return _refused("That is the sum already.")
        self._journal = []
        changed_proposals: list[Any] = []
        changed_proposals_2: list[Any] = []
        if proposal["status"] == "assessed":
            changed_proposals.append(proposal)
            self._put("proposals", proposal, "status", "collecting")
            changed_proposals_2.append(proposal)
            self._put("proposals", proposal, "underwriter_id", None)
        self._put("proposals", proposal, "sum_insured", sum_insured)
        for one_offer in _distinct(self._offers_by_proposal.get(proposal["id"], {}).values()):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_proposal in _distinct([proposal, *changed_proposals, *changed_proposals_2]):
            if self._breaks_rule_6(one_proposal):
                return self._take_back(RULES[5])
        for one_applicant in _distinct(
            [
                self.applicants[proposal["applicant_id"]],
                *[self.applicants[one["applicant_id"]] for one in changed_proposals],
            ]
        ):
            if self._breaks_rule_7(one_applicant):
                return self._take_back(RULES[6])
        for one_proposal in _distinct(changed_proposals):
            if self._breaks_rule_8(one_proposal):
                return self._take_back(RULES[7])
        for one_offer in _distinct(
            [user for one in changed_proposals for user in self._offers_by_proposal.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: change the sum of {proposal['number']} to {_money(sum_insured)}.",
            "data": self._changes(),
        }

    def set_share(
        self,
        proposal_id: str,
        name: Text,
        percent: Annotated[int, {"minimum": 0, "maximum": 100}],
    ) -> Result:
        """Set the share of a beneficiary in percent; nothing takes the beneficiary out.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            name (str): Name of the beneficiary, who is not the applicant.
            percent (int): Share of the sum in percent, where zero takes the beneficiary out, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["status"] not in ("collecting", "assessed"):
            return _refused(
                f"Proposal {proposal['number']} is {proposal['status']}, so beneficiaries stay as they are."
            )
        if name == self.applicants[proposal["applicant_id"]]["name"]:
            return _refused(f"{name} is the applicant.")
        old = next(
            (
                b
                for b in sorted(self._beneficiaries_by_proposal.get(proposal_id, {}).values(), key=_age)
                if b["name"] == name
            ),
            None,
        )
        if percent <= 0 and old is None:
            return _refused(f"{name} is no beneficiary of {proposal['number']}.")
        if old is not None and old["percent"] == percent:
            return _refused(f"{name} has {percent} percent already.")
        if (
            self._proposal_shares(proposal)
            - sum(
                b["percent"]
                for b in self._beneficiaries_by_proposal.get(proposal_id, {}).values()
                if b["name"] == name
            )
            + percent > 100
        ):
            return _refused(
                f"The shares of {proposal['number']} would be more than 100 percent; lower another one first."
            )
        self._journal = []
        added_beneficiaries: list[Any] = []
        deleted_beneficiaries: list[Any] = []
        changed_beneficiaries: list[Any] = []
        if old is None:
            if not 1 <= percent <= 100:
                return self._take_back("The percent of a beneficiary must be between 1 and 100.")
            beneficiary = {
                "id": self._new_id("beneficiary", "BENEFICIARY", self.beneficiaries),
                "proposal_id": proposal_id,
                "name": name,
                "percent": percent,
            }
            self._add("beneficiaries", beneficiary)
            added_beneficiaries.append(beneficiary)
        else:
            if percent == 0:
                if old["id"] in self.beneficiaries:
                    self._remove("beneficiaries", old)
                deleted_beneficiaries.append(old)
            else:
                if not 1 <= percent <= 100:
                    return self._take_back(f"The percent of {old['name']} must be between 1 and 100.")
                changed_beneficiaries.append(old)
                if old["id"] in self.beneficiaries:
                    self._put("beneficiaries", old, "percent", percent)
        for one_proposal in _distinct(
            [
                *[self.proposals[one["proposal_id"]] for one in added_beneficiaries],
                *[self.proposals[one["proposal_id"]] for one in deleted_beneficiaries],
                *[self.proposals[one["proposal_id"]] for one in changed_beneficiaries],
            ]
        ):
            if self._breaks_rule_4_p(one_proposal):
                return self._take_back(RULES[3])
        for one_offer in _distinct(
            [
                *[
                    user
                    for one in [self.proposals[one["proposal_id"]] for one in added_beneficiaries]
                    for user in self._offers_by_proposal.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.proposals[one["proposal_id"]] for one in deleted_beneficiaries]
                    for user in self._offers_by_proposal.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.proposals[one["proposal_id"]] for one in changed_beneficiaries]
                    for user in self._offers_by_proposal.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4_o(one_offer):
                return self._take_back(RULES[3])
        for one_beneficiary in _distinct(added_beneficiaries):
            if one_beneficiary["id"] in self.beneficiaries and self._breaks_rule_5_b(one_beneficiary):
                return self._take_back(RULES[4])
        for one_beneficiary in _distinct(added_beneficiaries):
            if one_beneficiary["id"] in self.beneficiaries and self._breaks_rule_5_b_again(one_beneficiary):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: set the share of {name} in {proposal['number']} to {percent} percent.",
            "data": self._changes(),
        }

    def add_exclusion(
        self,
        proposal_id: str,
        what: Literal["diving", "climbing", "aviation", "racing", "back_pain", "war_zones"],
    ) -> Result:
        """Exclude a risk from an assessed proposal; what was found because of that risk no longer counts.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            what (str): Risk that the cover leaves out, one noted with a finding of this proposal: diving,
                climbing, aviation, racing, back_pain or war_zones.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["status"] != "assessed":
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}.")
        if what in proposal["excluded"]:
            return _refused(f"{what} is excluded from {proposal['number']} already.")
        if not any(r["points"] > 0 for r in self._findings_by_proposal_hazard.get((proposal_id, what), {}).values()):
            return _refused(
                f"Nothing that was found on {proposal['number']} has to do with {what}, so there is nothing to "
                "exclude."
            )
        if len(proposal["excluded"]) >= 3:
            return _refused(f"Proposal {proposal['number']} has three exclusions.")
        self._journal = []
        self._put("proposals", proposal, "excluded", [*(proposal["excluded"] + [what])])
        for one_offer in _distinct(self._offers_by_proposal.get(proposal["id"], {}).values()):
            if self._breaks_rule_2(one_offer):
                return self._take_back(RULES[1])
        if self._breaks_rule_9(proposal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: exclude {what} from {proposal['number']}.",
            "data": self._changes(),
        }

    def assess_proposal(self, proposal_id: str, underwriter_id: str) -> Result:
        """Assess a proposal for which all evidence is in.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            underwriter_id (str): Id of the underwriter, such as UNDERWRITER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        underwriter = self.underwriters.get(underwriter_id)
        if underwriter is None:
            return _refused(f"There is no underwriter {underwriter_id!r}.")
        if proposal["status"] != "collecting":
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}.")
        lacking = self._missing(proposal)
        if lacking is not None:
            return _refused(f"{lacking['name']} is missing for {proposal['number']}.")
        if proposal["sum_insured"] > underwriter["authority"]:
            return _refused(f"{underwriter['name']} may assess up to {_money(underwriter['authority'])}.")
        self._journal = []
        self._put("proposals", proposal, "underwriter_id", underwriter_id)
        self._put("proposals", proposal, "status", "assessed")
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        for one_offer in _distinct(self._offers_by_proposal.get(proposal["id"], {}).values()):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: assess {proposal['number']} as {underwriter['name']}.",
            "data": self._changes(),
        }

    def decline_proposal(self, proposal_id: str) -> Result:
        """Decline a proposal that has no offer.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["status"] not in ("collecting", "assessed"):
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}.")
        self._journal = []
        self._put("proposals", proposal, "status", "declined")
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        for one_offer in _distinct(self._offers_by_proposal.get(proposal["id"], {}).values()):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: decline {proposal['number']}.", "data": self._changes()}

    def withdraw_proposal(self, proposal_id: str) -> Result:
        """Note that the applicant no longer wants the cover, or did not take up an offer.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["status"] not in ("collecting", "assessed"):
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}; an open offer lapses first.")
        self._journal = []
        self._put("proposals", proposal, "status", "withdrawn")
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        for one_offer in _distinct(self._offers_by_proposal.get(proposal["id"], {}).values()):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: withdraw {proposal['number']}.", "data": self._changes()}

    def make_offer(self, proposal_id: str, valid_until: Date) -> Result:
        """Offer the cover at the premium that follows from product, points and smoking.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            valid_until (str): Last day to accept the offer, 7 to 90 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["status"] != "assessed":
            return _refused(f"Proposal {proposal['number']} is {proposal['status']}.")
        if self._missing(proposal) is not None:
            return _refused(f"Evidence is missing for {proposal['number']}.")
        if not self._insurable(proposal):
            return _refused(
                f"{proposal['number']} has {self._proposal_points(proposal)} points, more than 200; exclude "
                "something or decline."
            )
        if self._proposal_shares(proposal) != 100:
            return _refused(
                f"The beneficiaries of {proposal['number']} have {self._proposal_shares(proposal)} percent, not 100."
            )
        if _plus_days(self.now[:10], 7) > valid_until or valid_until > _plus_days(self.now[:10], 90):
            return _refused("An offer is valid for 7 to 90 days.")
        if (
            self._applicant_cover(self.applicants[proposal["applicant_id"]])
            + proposal["sum_insured"] > self.applicants[proposal["applicant_id"]]["income"] * 15
        ):
            return _refused(
                f"{self.applicants[proposal['applicant_id']]['name']} may have "
                f"{_money(self.applicants[proposal['applicant_id']]['income'] * 15 - self._applicant_cover(self.applicants[proposal['applicant_id']]))} more cover at this income."
            )
        self._journal = []
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "proposal_id": proposal_id,
            "premium": self._premium_of(proposal),
            "made_on": self.now[:10],
            "valid_until": valid_until,
            "status": "open",
        }
        self._add("offers", offer)
        self._put("proposals", proposal, "status", "offered")
        if self._breaks_rule_1(offer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_o(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(offer):
            return self._take_back(RULES[9])
        for one_offer in _distinct([offer, *self._offers_by_proposal.get(proposal["id"], {}).values()]):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: make an offer on {proposal['number']}, valid until {valid_until} (new: offer {offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def accept_offer(self, offer_id: str) -> Result:
        """Note that the applicant accepts in time; the cover is in force.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer is {offer['status']}.")
        if self.now[:10] > offer["valid_until"]:
            return _refused(
                f"The offer on {self.proposals[offer['proposal_id']]['number']} was valid until "
                f"{offer['valid_until']}."
            )
        self._journal = []
        proposal = self.proposals[offer["proposal_id"]]
        if proposal["status"] not in ("offered", "in_force"):
            return self._take_back(f"Proposal {proposal['number']} cannot go from {proposal['status']} to in_force.")
        self._put("proposals", proposal, "status", "in_force")
        self._put("offers", offer, "status", "accepted")
        if self._breaks_rule_1(offer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_o(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(offer):
            return self._take_back(RULES[9])
        for one_offer in _distinct([offer, *self._offers_by_proposal.get(proposal["id"], {}).values()]):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: accept the offer on {self.proposals[offer['proposal_id']]['number']}.",
            "data": self._changes(),
        }

    def lapse_offer(self, offer_id: str) -> Result:
        """Let an open offer lapse, because its day has passed or it was taken back; the proposal stays assessed.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer is {offer['status']}.")
        self._journal = []
        proposal = self.proposals[offer["proposal_id"]]
        if proposal["status"] not in ("collecting", "assessed", "offered"):
            return self._take_back(f"Proposal {proposal['number']} cannot go from {proposal['status']} to assessed.")
        self._put("proposals", proposal, "status", "assessed")
        self._put("offers", offer, "status", "lapsed")
        if self._breaks_rule_1(offer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_o(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(proposal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.applicants[proposal["applicant_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(proposal):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(offer):
            return self._take_back(RULES[9])
        for one_offer in _distinct([offer, *self._offers_by_proposal.get(proposal["id"], {}).values()]):
            if self._breaks_rule_11(one_offer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: let the offer on {self.proposals[offer['proposal_id']]['number']} lapse.",
            "data": self._changes(),
        }

    def _show_applicant(self, applicant: Applicant) -> dict[str, Any]:
        """The applicant as an answer shows it."""
        return {**applicant, "cover": self._applicant_cover(applicant)}

    def _show_proposal(self, proposal: Proposal) -> dict[str, Any]:
        """The proposal as an answer shows it."""
        return {
            **proposal,
            "excluded": [*proposal["excluded"]],
            "age": self._proposal_age(proposal),
            "points": self._proposal_points(proposal),
            "loading": self._proposal_loading(proposal),
            "shares": self._proposal_shares(proposal),
        }

    def _names_of_proposals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that proposals point to."""
        return _names(
            (self.applicants, "name", [row["applicant_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
            (self.underwriters, "name", [row["underwriter_id"] for row in shown]),
        )

    def _names_of_findings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that findings point to."""
        return _names(
            (self.proposals, "number", [row["proposal_id"] for row in shown]),
            (self.evidences, "name", [row["evidence_id"] for row in shown]),
        )

    def _names_of_beneficiaries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that beneficiaries point to."""
        return _names((self.proposals, "number", [row["proposal_id"] for row in shown]))

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names((self.proposals, "number", [row["proposal_id"] for row in shown]))

    def _applicant_cover(self, applicant: Applicant) -> int:
        """The cover of an applicant."""
        return sum(
            p["sum_insured"]
            for p in self._proposals_by_applicant.get(applicant["id"], {}).values()
            if p["status"] in ("offered", "in_force")
        )

    def _proposal_age(self, proposal: Proposal) -> int:
        """The age of a proposal."""
        return _years(self.applicants[proposal["applicant_id"]]["born"], proposal["received_on"])

    def _proposal_points(self, proposal: Proposal) -> int:
        """The points of a proposal."""
        return sum(
            r["points"]
            for r in self._findings_by_proposal.get(proposal["id"], {}).values()
            if r["hazard"] not in proposal["excluded"]
        )

    def _proposal_loading(self, proposal: Proposal) -> int:
        """The loading of a proposal."""
        return self._loading_for(self._proposal_points(proposal))

    def _proposal_shares(self, proposal: Proposal) -> int:
        """The shares of a proposal."""
        return sum(b["percent"] for b in self._beneficiaries_by_proposal.get(proposal["id"], {}).values())

    def _loading_for(self, points: int) -> int:
        return 0 if points <= 25 else 50 if points <= 75 else 100 if points <= 125 else 150

    def _wanted(self, p: Proposal, e: Evidence) -> bool:
        return p["sum_insured"] >= e["from_sum"] or self._proposal_age(p) >= e["from_age"]

    def _missing(self, p: Proposal) -> Evidence | None:
        return min(
            (
                e
                for e in self.evidences.values()
                if self._wanted(p, e)
                and not self._findings_by_proposal_evidence.get((p["id"], e["id"]), {})
            ),
            key=lambda e: (e["name"], _age(e)),
            default=None,
        )

    def _missing_count(self, p: Proposal) -> int:
        return sum(
            1
            for e in self.evidences.values()
            if self._wanted(p, e)
            and not self._findings_by_proposal_evidence.get((p["id"], e["id"]), {})
        )

    def _premium_of(self, p: Proposal) -> int:
        return _rounded(
            Fraction(
                p["sum_insured"] * (
                    self.products[p["product_id"]]["rate"] * (100 + self._proposal_loading(p)) * (
                        150
                        if self.applicants[p["applicant_id"]]["smoker"]
                        else 100
                    )
                ),
                1000000000,
            )
        )

    def _insurable(self, p: Proposal) -> bool:
        return self._proposal_points(p) <= 200

    def _breaks_rule_1(self, o: Offer) -> bool:
        """Whether this is broken: an offer rests on all the evidence that age and sum demand."""
        return o["status"] != "lapsed" and self._missing(self.proposals[o["proposal_id"]]) is not None

    def _breaks_rule_2(self, o: Offer) -> bool:
        """Whether this is broken: nobody with more than 200 points is insured."""
        return not (o["status"] == "lapsed" or self._insurable(self.proposals[o["proposal_id"]]))

    def _breaks_rule_3(self, r: Finding) -> bool:
        """Whether this is broken: a proposal has one finding for each kind of evidence."""
        return any(
            other_r is not r
            for other_r in self._findings_by_proposal_evidence.get((r["proposal_id"], r["evidence_id"]), {}).values()
        )

    def _breaks_rule_4_p(self, p: Proposal) -> bool:
        """Whether this is broken: beneficiaries never share more than 100 percent, and exactly that once there is an
        offer.
        """
        return self._proposal_shares(p) > 100

    def _breaks_rule_4_o(self, o: Offer) -> bool:
        """Whether this is broken: beneficiaries never share more than 100 percent, and exactly that once there is an
        offer.
        """
        return o["status"] != "lapsed" and self._proposal_shares(self.proposals[o["proposal_id"]]) != 100

    def _breaks_rule_5_b(self, b: Beneficiary) -> bool:
        """Whether this is broken: a beneficiary is named once for a proposal, and is not the applicant."""
        return any(
            other_b is not b
            for other_b in self._beneficiaries_by_proposal.get(b["proposal_id"], {}).values()
            if other_b["name"] == b["name"]
        )

    def _breaks_rule_5_b_again(self, b: Beneficiary) -> bool:
        """Whether this is broken: a beneficiary is named once for a proposal, and is not the applicant."""
        return b["name"] == self.applicants[self.proposals[b["proposal_id"]]["applicant_id"]]["name"]

    def _breaks_rule_6(self, p: Proposal) -> bool:
        """Whether this is broken: a proposal is assessed by an underwriter with authority for the sum."""
        return not (
            p["status"] in ("collecting", "declined", "withdrawn")
            or p["underwriter_id"] is not None
            and p["sum_insured"] <= self.underwriters[p["underwriter_id"]]["authority"]
        )

    def _breaks_rule_7(self, a: Applicant) -> bool:
        """Whether this is broken: the cover of a person is never more than fifteen times the income."""
        return self._applicant_cover(a) > a["income"] * 15

    def _breaks_rule_8(self, p: Proposal) -> bool:
        """Whether this is broken: nobody is older than the product allows."""
        return (
            p["status"] not in ("declined", "withdrawn")
            and self._proposal_age(p) > self.products[p["product_id"]]["oldest"]
        )

    def _breaks_rule_9(self, p: Proposal) -> bool:
        """Whether this is broken: a proposal has at most three exclusions, each once."""
        return not (len(p["excluded"]) <= 3 and _different([x for x in p["excluded"]]))

    def _breaks_rule_10(self, o: Offer) -> bool:
        """Whether this is broken: a proposal has one open offer at a time."""
        return (
            o["status"] == "open"
            and any(
                other_o is not o
                for other_o in self._offers_by_proposal_status.get((o["proposal_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_11(self, o: Offer) -> bool:
        """Whether this is broken: only offered proposals have an open offer, and only those in force an accepted one.
        """
        return not (
            o["status"] == "lapsed"
            or o["status"] == "open"
            and self.proposals[o["proposal_id"]]["status"] == "offered"
            or o["status"] == "accepted"
            and self.proposals[o["proposal_id"]]["status"] == "in_force"
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
            case "proposals":
                self._proposals_by_applicant.setdefault(record["applicant_id"], {})[record["id"]] = record
                self._proposals_by_applicant_product.setdefault(
                    (record["applicant_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
                self._proposals_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._proposals_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "findings":
                self._findings_by_proposal.setdefault(record["proposal_id"], {})[record["id"]] = record
                self._findings_by_proposal_evidence.setdefault(
                    (record["proposal_id"], record["evidence_id"]),
                    {},
                )[record["id"]] = record
                self._findings_by_proposal_hazard.setdefault(
                    (record["proposal_id"], record["hazard"]),
                    {},
                )[record["id"]] = record
            case "beneficiaries":
                self._beneficiaries_by_proposal.setdefault(record["proposal_id"], {})[record["id"]] = record
            case "offers":
                self._offers_by_proposal.setdefault(record["proposal_id"], {})[record["id"]] = record
                self._offers_by_proposal_status.setdefault(
                    (record["proposal_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._offers_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "proposals":
                del self._proposals_by_applicant[record["applicant_id"]][record["id"]]
                del self._proposals_by_applicant_product[record["applicant_id"], record["product_id"]][record["id"]]
                del self._proposals_by_lower_number[record["number"].lower()][record["id"]]
                del self._proposals_by_number[record["number"]][record["id"]]
            case "findings":
                del self._findings_by_proposal[record["proposal_id"]][record["id"]]
                del self._findings_by_proposal_evidence[record["proposal_id"], record["evidence_id"]][record["id"]]
                del self._findings_by_proposal_hazard[record["proposal_id"], record["hazard"]][record["id"]]
            case "beneficiaries":
                del self._beneficiaries_by_proposal[record["proposal_id"]][record["id"]]
            case "offers":
                del self._offers_by_proposal[record["proposal_id"]][record["id"]]
                del self._offers_by_proposal_status[record["proposal_id"], record["status"]][record["id"]]
                del self._offers_by_status[record["status"]][record["id"]]
