"""Public procurement. Compiled from blueprint.yaml; run `envscaler build public_procurement` after changing it there.

Buys for a town by tender, with bids sealed until the opening, weighted marks by evaluators who have no interest
in a bidder, award to the best total, a standstill, complaints and the contract.
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
    "An envelope holds one price.",
    "A supplier has one live bid in a tender.",
    "Evaluators sit once on a panel of four at most, and on three panels at a time.",
    "Nobody evaluates a tender in which they have an interest in a bidder.",
    "Bids stay sealed until the tender is opened, which happens after it closed.",
    "An award rests on the marks of at least two evaluators.",
    "A bid is marked once on each criterion by each member of the panel, and only while it is in the running.",
    "The winner is in the running, within the budget, and nobody has a better total.",
    "Awarded and contracted tenders have a winner and a standstill, and no others.",
    "A contract is signed after the standstill and with no complaint open.",
    "Only a losing bidder complains, and once about an award.",
    "A bid that was taken out says why.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "publish_tender",
    "join_panel",
    "declare_interest",
    "submit_bid",
    "drop_bid",
    "open_bids",
    "score_bid",
    "award_tender",
    "file_complaint",
    "decide_complaint",
    "sign_contract",
)
"""The methods that may change something; all others only read."""

BID_STATUS_MOVES = {("sealed", "opened"), ("sealed", "withdrawn"), ("opened", "excluded")}

LABELS: dict[str, tuple[str, ...]] = {
    "suppliers": ("name",),
    "evaluators": ("name",),
    "tenders": ("title",),
    "criteria": ("name",),
    "bids": ("envelope",),
    "offers": (),
    "scores": (),
    "complaints": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bids", "envelope"),
    ("bids", "status"),
    ("bids", "supplier_id"),
    ("bids", "tender_id"),
    ("complaints", "status"),
    ("complaints", "supplier_id"),
    ("complaints", "tender_id"),
    ("criteria", "tender_id"),
    ("offers", "bid_id"),
    ("scores", "bid_id"),
    ("scores", "criterion_id"),
    ("scores", "evaluator_id"),
    ("tenders", "panel_ids"),
    ("tenders", "winner_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Supplier(TypedDict):
    id: str
    name: str


class Evaluator(TypedDict):
    id: str
    name: str
    family_in_ids: list[str]
    shares_in_ids: list[str]
    worked_for_ids: list[str]


class Tender(TypedDict):
    id: str
    title: str
    budget: int
    price_weight: int
    panel_ids: list[str]
    closes_on: str | None
    opened_on: str | None
    winner_id: str | None
    stand_until: str | None
    signed_on: str | None
    status: Literal["draft", "published", "opened", "failed", "awarded", "contracted"]


class Criterion(TypedDict):
    id: str
    name: str
    tender_id: str
    weight: int


class Bid(TypedDict):
    id: str
    envelope: str
    tender_id: str
    supplier_id: str
    submitted_on: str
    reason: str | None
    status: Literal["sealed", "opened", "withdrawn", "excluded"]


class Offer(TypedDict):
    id: str
    bid_id: str
    price: int


class Score(TypedDict):
    id: str
    bid_id: str
    criterion_id: str
    evaluator_id: str
    points: int


class Complaint(TypedDict):
    id: str
    tender_id: str
    supplier_id: str
    ground: Literal["wrong_marks", "unclear_criteria", "winner_unfit"]
    filed_on: str
    status: Literal["open", "upheld", "dismissed"]


class ScoreBidMark(TypedDict):
    criterion_id: str
    points: Annotated[int, {"minimum": 0, "maximum": 10}]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class PublicProcurement:
    """Buys for a town by tender, with bids sealed until the opening, weighted marks by evaluators who have
    no interest in a bidder, award to the best total, a standstill, complaints and the contract.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.suppliers: dict[str, Supplier] = _copied(config.get("suppliers", {}))
        self.evaluators: dict[str, Evaluator] = _copied(config.get("evaluators", {}))
        self.tenders: dict[str, Tender] = _copied(config.get("tenders", {}))
        self.criteria: dict[str, Criterion] = _copied(config.get("criteria", {}))
        self.bids: dict[str, Bid] = _copied(config.get("bids", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.scores: dict[str, Score] = _copied(config.get("scores", {}))
        self.complaints: dict[str, Complaint] = _copied(config.get("complaints", {}))
        self.now: str = config.get("now", "2026-10-05T09:00")
        self.counters: dict[str, int] = {
            "supplier": len(self.suppliers),
            "evaluator": len(self.evaluators),
            "tender": len(self.tenders),
            "criterion": len(self.criteria),
            "bid": len(self.bids),
            "offer": len(self.offers),
            "score": len(self.scores),
            "complaint": len(self.complaints),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tenders_by_panel: dict[Any, dict[str, Tender]] = {}
        self._tenders_by_winner: dict[Any, dict[str, Tender]] = {}
        self._criteria_by_tender: dict[Any, dict[str, Criterion]] = {}
        self._bids_by_envelope: dict[Any, dict[str, Bid]] = {}
        self._bids_by_lower_envelope: dict[Any, dict[str, Bid]] = {}
        self._bids_by_tender: dict[Any, dict[str, Bid]] = {}
        self._bids_by_tender_status: dict[Any, dict[str, Bid]] = {}
        self._bids_by_tender_supplier: dict[Any, dict[str, Bid]] = {}
        self._offers_by_bid: dict[Any, dict[str, Offer]] = {}
        self._scores_by_bid: dict[Any, dict[str, Score]] = {}
        self._scores_by_bid_criterion_evaluator: dict[Any, dict[str, Score]] = {}
        self._scores_by_bid_evaluator: dict[Any, dict[str, Score]] = {}
        self._scores_by_evaluator: dict[Any, dict[str, Score]] = {}
        self._complaints_by_tender_status: dict[Any, dict[str, Complaint]] = {}
        self._complaints_by_tender_supplier_status: dict[Any, dict[str, Complaint]] = {}
        for tender in self.tenders.values():
            self._link("tenders", tender)
        for criterion in self.criteria.values():
            self._link("criteria", criterion)
        for bid in self.bids.values():
            self._link("bids", bid)
        for offer in self.offers.values():
            self._link("offers", offer)
        for score in self.scores.values():
            self._link("scores", score)
        for complaint in self.complaints.values():
            self._link("complaints", complaint)

    def ranking(self, tender_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The bids in the running for an opened tender by total, the best first.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bids": records}} or {"success": False, "error": why
                not}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        found = [
            b
            for b in self._bids_by_tender.get(tender_id, {}).values()
            if (b["tender_id"] == tender_id and b["status"] == "opened")
        ]
        found.sort(key=lambda b: (-self._bid_total(b), self._cost(b), b["envelope"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bids": [
                    {
                        "id": b["id"],
                        "envelope": b["envelope"],
                        "supplier": self.suppliers[b["supplier_id"]]["name"],
                        "price": self._bid_price(b),
                        "quality": self._bid_quality(b),
                        "price_points": self._bid_price_points(b),
                        "total": self._bid_total(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def free_evaluators(
        self,
        tender_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Evaluators who may join the panel of a tender, those on the fewest panels first.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "evaluators": records}} or {"success": False, "error":
                why not}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        found = [
            e
            for e in self.evaluators.values()
            if (e["id"] not in tender["panel_ids"] and self._evaluator_panels(e) < 3)
            and not self._conflicted(e, tender)
        ]
        found.sort(key=lambda e: (self._evaluator_panels(e), e["name"], _age(e)))
        return _found(
            {
                "total": len(found),
                "evaluators": [
                    {"id": e["id"], "name": e["name"], "panels": self._evaluator_panels(e)}
                    for e in _page(found, offset)
                ],
            }
        )

    def missing_marks(
        self,
        tender_id: str | None = None,
        evaluator_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Opened bids which members of the panel have not marked in full.

        Args:
            tender_id (str, optional): Tender that the bids belong to; an id such as TENDER-00001. If left out,
                bids in all tenders are listed.
            evaluator_id (str, optional): Member of the panel whose marks are missing; an id such as
                EVALUATOR-00001. If left out, missing marks of any evaluator count.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bids": records}} or {"success": False, "error": why
                not}
        """
        tender = self.tenders.get(tender_id) if tender_id is not None else None
        if tender_id is not None and tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        evaluator = self.evaluators.get(evaluator_id) if evaluator_id is not None else None
        if evaluator_id is not None and evaluator is None:
            return _refused(f"There is no evaluator {evaluator_id!r}.")
        found = [
            b
            for b in self.bids.values()
            if (b["status"] == "opened" and self.tenders[b["tender_id"]]["status"] == "opened")
            and (tender_id is None or b["tender_id"] == tender_id)
            and any(
                self._marked(b, e) < len(self._criteria_of(self.tenders[b["tender_id"]]))
                for e in [self.evaluators[key] for key in self.tenders[b["tender_id"]]["panel_ids"]]
            )
            and (
                evaluator_id is None
                or evaluator_id in self.tenders[b["tender_id"]]["panel_ids"]
                and any(
                    e is evaluator
                    and self._marked(b, e) < len(self._criteria_of(self.tenders[b["tender_id"]]))
                    for e in [self.evaluators[key] for key in self.tenders[b["tender_id"]]["panel_ids"]]
                )
            )
        ]
        found.sort(key=lambda b: (b["envelope"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bids": [
                    {
                        "id": b["id"],
                        "envelope": b["envelope"],
                        "tender": self.tenders[b["tender_id"]]["title"],
                        "supplier": self.suppliers[b["supplier_id"]]["name"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_suppliers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the suppliers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only suppliers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "suppliers": records}}
        """
        found = [
            supplier
            for supplier in self.suppliers.values()
            if (name is None or name.casefold() in supplier["name"].casefold())
        ]
        return _found({"total": len(found), "suppliers": [{**supplier} for supplier in _page(found, offset)]})

    def list_evaluators(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the evaluators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only evaluators whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "evaluators": records}}
        """
        found = [
            evaluator
            for evaluator in self.evaluators.values()
            if (name is None or name.casefold() in evaluator["name"].casefold())
        ]
        shown = [self._show_evaluator(evaluator) for evaluator in _page(found, offset)]
        return _found({"total": len(found), "evaluators": shown}, self._names_of_evaluators(shown))

    def list_tenders(
        self,
        title: Text | None = None,
        winner_id: str | None = None,
        status: Literal["draft", "published", "opened", "failed", "awarded", "contracted"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tenders, oldest first, all of them or only some.

        Args:
            title (str, optional): Only tenders whose title contains this text.
            winner_id (str, optional): Only tenders whose winner is this bid.
            status (str, optional): Only tenders with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tenders": records}}
        """
        if winner_id is not None and winner_id not in self.bids:
            return _refused(f"There is no bid {winner_id!r}.")
        found = [
            tender
            for tender in self.tenders.values()
            if (title is None or title.casefold() in tender["title"].casefold())
            and (winner_id is None or tender["winner_id"] == winner_id)
            and (status is None or tender["status"] == status)
        ]
        shown = [self._show_tender(tender) for tender in _page(found, offset)]
        return _found({"total": len(found), "tenders": shown}, self._names_of_tenders(shown))

    def list_criteria(
        self,
        name: Text | None = None,
        tender_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the criteria, oldest first, all of them or only some.

        Args:
            name (str, optional): Only criteria whose name contains this text.
            tender_id (str, optional): Only criteria of this tender.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "criteria": records}}
        """
        if tender_id is not None and tender_id not in self.tenders:
            return _refused(f"There is no tender {tender_id!r}.")
        found = [
            criterion
            for criterion in self.criteria.values()
            if (name is None or name.casefold() in criterion["name"].casefold())
            and (tender_id is None or criterion["tender_id"] == tender_id)
        ]
        shown = [{**criterion} for criterion in _page(found, offset)]
        return _found({"total": len(found), "criteria": shown}, self._names_of_criteria(shown))

    def list_bids(
        self,
        envelope: Text | None = None,
        tender_id: str | None = None,
        supplier_id: str | None = None,
        status: Literal["sealed", "opened", "withdrawn", "excluded"] | None = None,
        submitted_on_from: Date | None = None,
        submitted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bids, oldest first, all of them or only some.

        Args:
            envelope (str, optional): Only bids whose envelope contains this text.
            tender_id (str, optional): Only bids of this tender.
            supplier_id (str, optional): Only bids of this supplier.
            status (str, optional): Only bids with this status.
            submitted_on_from (str, optional): Only bids whose `submitted_on` is on this day or later.
            submitted_on_to (str, optional): Only bids whose `submitted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bids": records}}
        """
        if tender_id is not None and tender_id not in self.tenders:
            return _refused(f"There is no tender {tender_id!r}.")
        if supplier_id is not None and supplier_id not in self.suppliers:
            return _refused(f"There is no supplier {supplier_id!r}.")
        found = [
            bid
            for bid in self.bids.values()
            if (envelope is None or envelope.casefold() in bid["envelope"].casefold())
            and (tender_id is None or bid["tender_id"] == tender_id)
            and (supplier_id is None or bid["supplier_id"] == supplier_id)
            and (status is None or bid["status"] == status)
            and (submitted_on_from is None or bid["submitted_on"] >= submitted_on_from)
            and (submitted_on_to is None or bid["submitted_on"] <= submitted_on_to)
        ]
        shown = [self._show_bid(bid) for bid in _page(found, offset)]
        return _found({"total": len(found), "bids": shown}, self._names_of_bids(shown))

    def list_scores(
        self,
        bid_id: str | None = None,
        criterion_id: str | None = None,
        evaluator_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the scores, oldest first, all of them or only some.

        Args:
            bid_id (str, optional): Only scores of this bid.
            criterion_id (str, optional): Only scores of this criterion.
            evaluator_id (str, optional): Only scores of this evaluator.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scores": records}}
        """
        if bid_id is not None and bid_id not in self.bids:
            return _refused(f"There is no bid {bid_id!r}.")
        if criterion_id is not None and criterion_id not in self.criteria:
            return _refused(f"There is no criterion {criterion_id!r}.")
        if evaluator_id is not None and evaluator_id not in self.evaluators:
            return _refused(f"There is no evaluator {evaluator_id!r}.")
        found = [
            score
            for score in self.scores.values()
            if (bid_id is None or score["bid_id"] == bid_id)
            and (criterion_id is None or score["criterion_id"] == criterion_id)
            and (evaluator_id is None or score["evaluator_id"] == evaluator_id)
        ]
        shown = [{**score} for score in _page(found, offset)]
        return _found({"total": len(found), "scores": shown}, self._names_of_scores(shown))

    def list_complaints(
        self,
        tender_id: str | None = None,
        supplier_id: str | None = None,
        ground: Literal["wrong_marks", "unclear_criteria", "winner_unfit"] | None = None,
        status: Literal["open", "upheld", "dismissed"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the complaints, oldest first, all of them or only some.

        Args:
            tender_id (str, optional): Only complaints of this tender.
            supplier_id (str, optional): Only complaints of this supplier.
            ground (str, optional): Only complaints with this ground.
            status (str, optional): Only complaints with this status.
            filed_on_from (str, optional): Only complaints whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only complaints whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "complaints": records}}
        """
        if tender_id is not None and tender_id not in self.tenders:
            return _refused(f"There is no tender {tender_id!r}.")
        if supplier_id is not None and supplier_id not in self.suppliers:
            return _refused(f"There is no supplier {supplier_id!r}.")
        found = [
            complaint
            for complaint in self.complaints.values()
            if (tender_id is None or complaint["tender_id"] == tender_id)
            and (supplier_id is None or complaint["supplier_id"] == supplier_id)
            and (ground is None or complaint["ground"] == ground)
            and (status is None or complaint["status"] == status)
            and (filed_on_from is None or complaint["filed_on"] >= filed_on_from)
            and (filed_on_to is None or complaint["filed_on"] <= filed_on_to)
        ]
        shown = [{**complaint} for complaint in _page(found, offset)]
        return _found({"total": len(found), "complaints": shown}, self._names_of_complaints(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def publish_tender(self, tender_id: str, closes_on: Date) -> Result:
        """Publish a draft tender until a closing day.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.
            closes_on (str): Last day for bids, from 10 to 60 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        if tender["status"] != "draft":
            return _refused(f"{tender['title']} is {tender['status']}.")
        if (
            len(self._criteria_of(tender)) <= 0
            or tender["price_weight"] + sum(c["weight"] for c in self._criteria_of(tender)) != 100
        ):
            return _refused(
                f"The weights of {tender['title']} make "
                f"{tender['price_weight'] + sum(c['weight'] for c in self._criteria_of(tender))}, not 100."
            )
        if closes_on < _plus_days(self.now[:10], 10) or closes_on > _plus_days(self.now[:10], 60):
            return _refused(
                f"A tender is open for 10 to 60 days, so it closes from {_plus_days(self.now[:10], 10)} to "
                f"{_plus_days(self.now[:10], 60)}."
            )
        self._journal = []
        self._put("tenders", tender, "closes_on", closes_on)
        self._put("tenders", tender, "status", "published")
        for one_evaluator in _distinct([self.evaluators[key] for key in tender["panel_ids"]]):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(tender):
            return self._take_back(RULES[3])
        for one_bid in _distinct(self._bids_by_tender_status.get((tender["id"], "sealed"), {}).values()):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        for one_bid in _distinct(self._bids_by_tender.get(tender["id"], {}).values()):
            if self._breaks_rule_5_b_again(one_bid):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_t(tender):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(tender):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(tender):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_t(tender):
            return self._take_back(RULES[9])
        for one_complaint in _distinct(self._complaints_by_tender_status.get((tender["id"], "open"), {}).values()):
            if self._breaks_rule_10_c(one_complaint):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: publish {tender['title']} until {closes_on}.",
            "data": self._changes(),
        }

    def join_panel(self, tender_id: str, evaluator_id: str) -> Result:
        """Put an evaluator without interest in a bidder on the panel of a tender.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.
            evaluator_id (str): Id of the evaluator, such as EVALUATOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        evaluator = self.evaluators.get(evaluator_id)
        if evaluator is None:
            return _refused(f"There is no evaluator {evaluator_id!r}.")
        if tender["status"] not in ("draft", "published", "opened"):
            return _refused(f"{tender['title']} is {tender['status']}.")
        if evaluator_id in tender["panel_ids"]:
            return _refused(f"{evaluator['name']} is on the panel of {tender['title']} already.")
        if len(tender["panel_ids"]) >= 4:
            return _refused(f"The panel of {tender['title']} has four members.")
        if self._evaluator_panels(evaluator) >= 3:
            return _refused(
                f"{evaluator['name']} sits on {self._evaluator_panels(evaluator)} panels and can take no more."
            )
        if self._conflicted(evaluator, tender):
            return _refused(f"{evaluator['name']} has an interest in a bidder for {tender['title']}.")
        self._journal = []
        former_panel_ids = tender["panel_ids"]
        self._put(
            "tenders",
            tender,
            "panel_ids",
            [record["id"] for record in [self.evaluators[key] for key in tender["panel_ids"]] + [evaluator]],
        )
        if self._breaks_rule_3_t(tender):
            return self._take_back(RULES[2])
        for one_evaluator in _distinct(
            [
                *[self.evaluators[key] for key in tender["panel_ids"]],
                *[self.evaluators.get(key) for key in former_panel_ids],
            ]
        ):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(tender):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(tender):
            return self._take_back(RULES[5])
        for one_score in _distinct(
            [
                user
                for one in self._bids_by_tender.get(tender["id"], {}).values()
                for user in self._scores_by_bid.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(
            [
                user
                for one in self._bids_by_tender.get(tender["id"], {}).values()
                for user in self._tenders_by_winner.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct(self._bids_by_tender_status.get((tender["id"], "opened"), {}).values()):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: put {evaluator['name']} on the panel of {tender['title']}.",
            "data": self._changes(),
        }

    def declare_interest(
        self,
        evaluator_id: str,
        supplier_id: str,
        kind: Literal["family", "shares", "former_job"],
    ) -> Result:
        """Declare an evaluator's interest in a supplier; the evaluator leaves the panels for which that supplier
        bids, and the marks given there are void.

        Args:
            evaluator_id (str): Id of the evaluator, such as EVALUATOR-00001.
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            kind (str): Tie between the evaluator and the supplier: family, shares or former_job.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        evaluator = self.evaluators.get(evaluator_id)
        if evaluator is None:
            return _refused(f"There is no evaluator {evaluator_id!r}.")
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if self._tied(evaluator, supplier):
            return _refused(f"{evaluator['name']} has declared an interest in {supplier['name']} already.")
        self._journal = []
        changed_evaluators: list[Any] = []
        changed_evaluators_2: list[Any] = []
        changed_evaluators_3: list[Any] = []
        deleted_scores: list[Any] = []
        changed_tenders: list[Any] = []
        former_panel_ids: list[Any] = []
        if kind == "family":
            changed_evaluators.append(evaluator)
            self._put(
                "evaluators",
                evaluator,
                "family_in_ids",
                [record["id"] for record in [self.suppliers[key] for key in evaluator["family_in_ids"]] + [supplier]],
            )
        if kind == "shares":
            changed_evaluators_2.append(evaluator)
            self._put(
                "evaluators",
                evaluator,
                "shares_in_ids",
                [record["id"] for record in [self.suppliers[key] for key in evaluator["shares_in_ids"]] + [supplier]],
            )
        if kind == "former_job":
            changed_evaluators_3.append(evaluator)
            self._put(
                "evaluators",
                evaluator,
                "worked_for_ids",
                [
                    record["id"]
                    for record in [self.suppliers[key] for key in evaluator["worked_for_ids"]] + [supplier]
                ],
            )
        for t in [
            t
            for t in sorted(self._tenders_by_panel.get(evaluator_id, {}).values(), key=_age)
            if t["status"] in ("draft", "published", "opened")
            and any(self._live(b) for b in self._bids_by_tender_supplier.get((t["id"], supplier_id), {}).values())
        ]:
            for s in [
                s
                for s in sorted(self._scores_by_evaluator.get(evaluator_id, {}).values(), key=_age)
                if self.bids[s["bid_id"]]["tender_id"] == t["id"]
            ]:
                if s["id"] in self.scores:
                    self._remove("scores", s)
                deleted_scores.append(s)
            changed_tenders.append(t)
            former_panel_ids.extend(t["panel_ids"])
            self._put(
                "tenders",
                t,
                "panel_ids",
                [
                    record["id"]
                    for record in [e for e in [self.evaluators[key] for key in t["panel_ids"]] if e is not evaluator]
                ],
            )
        for one_tender in _distinct(changed_tenders):
            if self._breaks_rule_3_t(one_tender):
                return self._take_back(RULES[2])
        for one_evaluator in _distinct(
            [
                *[self.evaluators[key] for one in changed_tenders for key in one["panel_ids"]],
                *[self.evaluators.get(key) for key in former_panel_ids],
            ]
        ):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        for one_tender in _distinct(
            [
                *[user for one in changed_evaluators for user in self._tenders_by_panel.get(one["id"], {}).values()],
                *[
                    user
                    for one in changed_evaluators_2
                    for user in self._tenders_by_panel.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in changed_evaluators_3
                    for user in self._tenders_by_panel.get(one["id"], {}).values()
                ],
                *changed_tenders,
            ]
        ):
            if self._breaks_rule_4(one_tender):
                return self._take_back(RULES[3])
        for one_tender in _distinct(changed_tenders):
            if self._breaks_rule_6(one_tender):
                return self._take_back(RULES[5])
        for one_score in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_tenders
                    for user in self._bids_by_tender.get(one["id"], {}).values()
                ]
                for user in self._scores_by_bid.get(one["id"], {}).values()
            ]
        ):
            if one_score["id"] in self.scores and self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(
            [
                *[
                    user
                    for one in [self.bids[one["bid_id"]] for one in deleted_scores]
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in changed_tenders
                        for user in self._bids_by_tender.get(one["id"], {}).values()
                    ]
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct(
            [
                *[self.bids[one["bid_id"]] for one in deleted_scores],
                *[
                    user
                    for one in changed_tenders
                    for user in self._bids_by_tender_status.get((one["id"], "opened"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: declare the interest of {evaluator['name']} in {supplier['name']}.",
            "data": self._changes(),
        }

    def submit_bid(
        self,
        tender_id: str,
        supplier_id: str,
        price: Annotated[int, {"minimum": 10000, "maximum": 900000000}],
        envelope: Text,
    ) -> Result:
        """Register the sealed bid of a supplier, whose price nobody sees before the opening; evaluators with an
        interest in that supplier leave the panel.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            price (int): Total price that the bid offers, in cents, from 10000 to 900000000.
            envelope (str): New number of the sealed envelope, not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if tender["status"] != "published" or tender["closes_on"] is None:
            return _refused(f"{tender['title']} is {tender['status']}.")
        if self.now[:10] > tender["closes_on"]:
            return _refused(f"{tender['title']} closed on {tender['closes_on']}.")
        if any(self._live(b) for b in self._bids_by_tender_supplier.get((tender_id, supplier_id), {}).values()):
            return _refused(f"{supplier['name']} has a bid in {tender['title']}, which must be withdrawn first.")
        if self._bids_by_lower_envelope.get(envelope.lower(), {}):
            return _refused(f"There is an envelope {envelope} already.")
        self._journal = []
        bid: Bid = {
            "id": self._new_id("bid", "BID", self.bids),
            "envelope": envelope,
            "tender_id": tender_id,
            "supplier_id": supplier_id,
            "submitted_on": self.now[:10],
            "reason": None,
            "status": "sealed",
        }
        self._add("bids", bid)
        offer: Offer = {"id": self._new_id("offer", "OFFER", self.offers), "bid_id": bid["id"], "price": price}
        self._add("offers", offer)
        former_panel_ids = tender["panel_ids"]
        self._put(
            "tenders",
            tender,
            "panel_ids",
            [
                record["id"]
                for record in [
                    e
                    for e in [self.evaluators[key] for key in tender["panel_ids"]]
                    if not self._tied(e, supplier)
                ]
            ],
        )
        if len(self._bids_by_envelope.get(bid["envelope"], {})) > 1:
            return self._take_back(f"There is already a bid with the envelope {bid['envelope']!r}.")
        if self._breaks_rule_1(offer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(bid):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_t(tender):
            return self._take_back(RULES[2])
        for one_evaluator in _distinct(
            [
                *[self.evaluators[key] for key in tender["panel_ids"]],
                *[self.evaluators.get(key) for key in former_panel_ids],
            ]
        ):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.tenders[bid["tender_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(tender):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(bid):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b_again(bid):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(tender):
            return self._take_back(RULES[5])
        for one_score in _distinct(
            [
                user
                for one in self._bids_by_tender.get(tender["id"], {}).values()
                for user in self._scores_by_bid.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(self._tenders_by_winner.get(offer["bid_id"], {}).values()):
            if self._breaks_rule_8_t(one_tender):
                return self._take_back(RULES[7])
        for one_tender in _distinct(
            [
                *[
                    user
                    for one in self._bids_by_tender.get(bid["tender_id"], {}).values()
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in self._bids_by_tender.get(self.bids[offer["bid_id"]]["tender_id"], {}).values()
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
                *self._tenders_by_winner.get(offer["bid_id"], {}).values(),
                *[
                    user
                    for one in self._bids_by_tender.get(tender["id"], {}).values()
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct(
            [
                bid,
                self.bids[offer["bid_id"]],
                *self._bids_by_tender_status.get((bid["tender_id"], "opened"), {}).values(),
                *self._bids_by_tender_status.get((self.bids[offer["bid_id"]]["tender_id"], "opened"), {}).values(),
                *self._bids_by_tender_status.get((tender["id"], "opened"), {}).values(),
            ]
        ):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        if self._breaks_rule_12(bid):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: register the bid of {supplier['name']} for {tender['title']} in envelope {envelope} (new: "
                f"bid {bid['id']}, offer {offer['id']})."
            ),
            "data": {"bid_id": bid["id"], "offer_id": offer["id"], **self._changes()},
        }

    def drop_bid(self, bid_id: str, reason: Text) -> Result:
        """Take a bid out of a tender; a sealed one counts as withdrawn, an opened one as excluded and its marks are
        void; the tender has failed when none is left.

        Args:
            bid_id (str): Id of the bid, such as BID-00001.
            reason (str): Why the bid is withdrawn or excluded.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bid = self.bids.get(bid_id)
        if bid is None:
            return _refused(f"There is no bid {bid_id!r}.")
        if not self._live(bid):
            return _refused(f"The bid {bid['envelope']} is {bid['status']}.")
        if self.tenders[bid["tender_id"]]["status"] not in ("published", "opened"):
            return _refused(
                f"{self.tenders[bid['tender_id']]['title']} is {self.tenders[bid['tender_id']]['status']}, so the "
                "award would have to fall first."
            )
        self._journal = []
        deleted_scores: list[Any] = []
        changed_tenders: list[Any] = []
        for s in sorted(self._scores_by_bid.get(bid_id, {}).values(), key=_age):
            if s["id"] in self.scores:
                self._remove("scores", s)
            deleted_scores.append(s)
        self._put("bids", bid, "reason", reason)
        status = "withdrawn" if bid["status"] == "sealed" else "excluded"
        if bid["status"] != status and (bid["status"], status) not in BID_STATUS_MOVES:
            return self._take_back(f"Bid {bid['envelope']} cannot go from {bid['status']} to {status}.")
        self._put("bids", bid, "status", status)
        if (
            self.tenders[bid["tender_id"]]["status"] == "opened"
            and len(self._bids_in(self.tenders[bid["tender_id"]])) == 0
        ):
            tender = self.tenders[bid["tender_id"]]
            if tender["status"] not in ("published", "opened", "failed"):
                return self._take_back(f"Tender {tender['title']} cannot go from {tender['status']} to failed.")
            changed_tenders.append(tender)
            self._put("tenders", tender, "status", "failed")
        if self._breaks_rule_2(bid):
            return self._take_back(RULES[1])
        for one_evaluator in _distinct([self.evaluators[key] for one in changed_tenders for key in one["panel_ids"]]):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        for one_tender in _distinct([self.tenders[bid["tender_id"]], *changed_tenders]):
            if self._breaks_rule_4(one_tender):
                return self._take_back(RULES[3])
        for one_bid in _distinct(
            [
                bid,
                *[
                    user
                    for one in changed_tenders
                    for user in self._bids_by_tender_status.get((one["id"], "sealed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        for one_tender in _distinct(changed_tenders):
            if self._breaks_rule_6(one_tender):
                return self._take_back(RULES[5])
        for one_score in _distinct(self._scores_by_bid.get(bid["id"], {}).values()):
            if one_score["id"] in self.scores and self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(self._tenders_by_winner.get(bid["id"], {}).values()):
            if self._breaks_rule_8_t(one_tender):
                return self._take_back(RULES[7])
        for one_tender in _distinct(
            [
                *[
                    user
                    for one in [self.bids[one["bid_id"]] for one in deleted_scores]
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
                *self._tenders_by_winner.get(bid["id"], {}).values(),
                *[
                    user
                    for one in self._bids_by_tender.get(bid["tender_id"], {}).values()
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct(
            [
                bid,
                *[self.bids[one["bid_id"]] for one in deleted_scores],
                *self._bids_by_tender_status.get((bid["tender_id"], "opened"), {}).values(),
            ]
        ):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        for one_tender in _distinct(changed_tenders):
            if self._breaks_rule_9(one_tender):
                return self._take_back(RULES[8])
        for one_tender in _distinct(changed_tenders):
            if self._breaks_rule_10_t(one_tender):
                return self._take_back(RULES[9])
        for one_complaint in _distinct(
            [
                user
                for one in changed_tenders
                for user in self._complaints_by_tender_status.get((one["id"], "open"), {}).values()
            ]
        ):
            if self._breaks_rule_10_c(one_complaint):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(bid):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take the bid {bid['envelope']} out with the reason {reason}.",
            "data": self._changes(),
        }

    def open_bids(self, tender_id: str) -> Result:
        """Open the sealed bids of a tender after its closing day; a tender without any bid has failed then, and its
        panel is free.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        if tender["status"] != "published" or tender["closes_on"] is None:
            return _refused(f"{tender['title']} is {tender['status']}.")
        if self.now[:10] <= tender["closes_on"]:
            return _refused(f"{tender['title']} is open for bids until {tender['closes_on']}.")
        if not (len(tender["panel_ids"]) >= 2 or not self._bids_by_tender_status.get((tender_id, "sealed"), {})):
            return _refused(f"The panel of {tender['title']} has {len(tender['panel_ids'])} members and needs two.")
        self._journal = []
        changed_bids: list[Any] = []
        for b in sorted(self._bids_by_tender_status.get((tender_id, "sealed"), {}).values(), key=_age):
            if b["status"] not in ("sealed", "opened"):
                return self._take_back(f"Bid {b['envelope']} cannot go from {b['status']} to opened.")
            changed_bids.append(b)
            self._put("bids", b, "status", "opened")
        self._put("tenders", tender, "opened_on", self.now[:10])
        status = "opened" if len(self._bids_in(tender)) > 0 else "failed"
        self._put("tenders", tender, "status", status)
        for one_bid in _distinct(changed_bids):
            if self._breaks_rule_2(one_bid):
                return self._take_back(RULES[1])
        for one_evaluator in _distinct([self.evaluators[key] for key in tender["panel_ids"]]):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        for one_tender in _distinct([tender, *[self.tenders[one["tender_id"]] for one in changed_bids]]):
            if self._breaks_rule_4(one_tender):
                return self._take_back(RULES[3])
        for one_bid in _distinct(
            [*changed_bids, *self._bids_by_tender_status.get((tender["id"], "sealed"), {}).values()]
        ):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_t(tender):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(tender):
            return self._take_back(RULES[5])
        for one_score in _distinct(
            [user for one in changed_bids for user in self._scores_by_bid.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(
            [user for one in changed_bids for user in self._tenders_by_winner.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_t(one_tender):
                return self._take_back(RULES[7])
        for one_tender in _distinct(
            [
                *[user for one in changed_bids for user in self._tenders_by_winner.get(one["id"], {}).values()],
                *[
                    user
                    for one in [
                        user
                        for one in [self.tenders[one["tender_id"]] for one in changed_bids]
                        for user in self._bids_by_tender.get(one["id"], {}).values()
                    ]
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct(
            [
                *changed_bids,
                *[
                    user
                    for one in [self.tenders[one["tender_id"]] for one in changed_bids]
                    for user in self._bids_by_tender_status.get((one["id"], "opened"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(tender):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_t(tender):
            return self._take_back(RULES[9])
        for one_complaint in _distinct(self._complaints_by_tender_status.get((tender["id"], "open"), {}).values()):
            if self._breaks_rule_10_c(one_complaint):
                return self._take_back(RULES[9])
        for one_bid in _distinct(changed_bids):
            if self._breaks_rule_12(one_bid):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: open the bids for {tender['title']}.", "data": self._changes()}

    def score_bid(
        self,
        bid_id: str,
        evaluator_id: str,
        marks: Annotated[list[ScoreBidMark], {"maxItems": 20}],
    ) -> Result:
        """Enter the marks that a member of the panel gives a bid on one or more criteria, from 0 to 10 points.

        Args:
            bid_id (str): Id of the bid, such as BID-00001.
            evaluator_id (str): Id of the evaluator, such as EVALUATOR-00001.
            marks (list): One entry for each criterion that the evaluator marks now: criterion_id: criterion of
                this tender, not yet marked by the evaluator; an id such as CRITERION-00001; points: points given
                on that criterion, from 0 to 10.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bid = self.bids.get(bid_id)
        if bid is None:
            return _refused(f"There is no bid {bid_id!r}.")
        evaluator = self.evaluators.get(evaluator_id)
        if evaluator is None:
            return _refused(f"There is no evaluator {evaluator_id!r}.")
        entries, marks = marks, []
        for entry in entries:
            if entry["criterion_id"] not in self.criteria:
                return _refused(f"There is no criterion {entry['criterion_id']!r}.")
            marks.append({"criterion": self.criteria[entry["criterion_id"]], "points": entry["points"]})
        if bid["status"] != "opened" or self.tenders[bid["tender_id"]]["status"] != "opened":
            return _refused(
                f"The bid {bid['envelope']} is {bid['status']} and {self.tenders[bid['tender_id']]['title']} is "
                f"{self.tenders[bid['tender_id']]['status']}."
            )
        if evaluator_id not in self.tenders[bid["tender_id"]]["panel_ids"]:
            return _refused(f"{evaluator['name']} is not on the panel of {self.tenders[bid['tender_id']]['title']}.")
        if not (len(marks) > 0 and _different([m["criterion"]["id"] for m in marks])):
            return _refused("Name each criterion once.")
        if not all(m["criterion"]["tender_id"] == bid["tender_id"] for m in marks):
            return _refused(f"Only criteria of {self.tenders[bid['tender_id']]['title']} can be marked.")
        if any(
            any(m["criterion"] is self.criteria[s["criterion_id"]] for m in marks)
            for s in self._scores_by_bid_evaluator.get((bid_id, evaluator_id), {}).values()
        ):
            return _refused(f"{evaluator['name']} has marked one of these criteria for {bid['envelope']} already.")
        self._journal = []
        added_scores: list[Any] = []
        for m in list(marks):
            score = {
                "id": self._new_id("score", "SCORE", self.scores),
                "bid_id": bid_id,
                "criterion_id": m["criterion"]["id"],
                "evaluator_id": evaluator_id,
                "points": m["points"],
            }
            self._add("scores", score)
            added_scores.append(score)
        for one_score in _distinct(added_scores):
            if self._breaks_rule_7_s(one_score):
                return self._take_back(RULES[6])
        for one_score in _distinct(added_scores):
            if self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(
            [
                user
                for one in [self.bids[one["bid_id"]] for one in added_scores]
                for user in self._tenders_by_winner.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct([self.bids[one["bid_id"]] for one in added_scores]):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: enter the marks of {evaluator['name']} for the bid {bid['envelope']}.",
            "data": self._changes(),
        }

    def award_tender(self, tender_id: str) -> Result:
        """Award a tender to the bid with the best total, the cheaper one between equals, once every member of the
        panel has marked every bid; a standstill of ten days follows.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        if tender["status"] != "opened":
            return _refused(f"{tender['title']} is {tender['status']}.")
        if len(tender["panel_ids"]) < 2:
            return _refused(f"The panel of {tender['title']} has {len(tender['panel_ids'])} members and needs two.")
        missing = self._unmarked(tender)
        if missing is not None:
            return _refused(f"The bid {missing['envelope']} has not been marked in full.")
        winner = self._best(tender)
        if winner is None or self._bid_price(winner) is None:
            return _refused(f"No bid is left in {tender['title']}.")
        if self._bid_price(winner) > tender["budget"]:
            return _refused(
                f"The best bid {winner['envelope']} costs {_money(self._bid_price(winner))}, more than the budget "
                f"of {_money(tender['budget'])}, so it must be excluded."
            )
        self._journal = []
        self._put("tenders", tender, "winner_id", winner["id"])
        self._put("tenders", tender, "stand_until", _plus_days(self.now[:10], 10))
        self._put("tenders", tender, "status", "awarded")
        for one_evaluator in _distinct([self.evaluators[key] for key in tender["panel_ids"]]):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(tender):
            return self._take_back(RULES[3])
        for one_bid in _distinct(self._bids_by_tender_status.get((tender["id"], "sealed"), {}).values()):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(tender):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_t(tender):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_t_again(tender):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(tender):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_t(tender):
            return self._take_back(RULES[9])
        for one_complaint in _distinct(self._complaints_by_tender_status.get((tender["id"], "open"), {}).values()):
            if self._breaks_rule_10_c(one_complaint):
                return self._take_back(RULES[9])
        for one_complaint in _distinct(self._complaints_by_tender_status.get((tender["id"], "open"), {}).values()):
            if self._breaks_rule_11_c(one_complaint):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: award {tender['title']}.", "data": self._changes()}

    def file_complaint(
        self,
        tender_id: str,
        supplier_id: str,
        ground: Literal["wrong_marks", "unclear_criteria", "winner_unfit"],
    ) -> Result:
        """File the complaint of a losing bidder during the standstill.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            ground (str): Ground of the complaint: wrong_marks, unclear_criteria or winner_unfit.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if tender["status"] != "awarded" or tender["winner_id"] is None or tender["stand_until"] is None:
            return _refused(f"{tender['title']} is {tender['status']}, so there is no award to complain about.")
        if self.now[:10] > tender["stand_until"]:
            return _refused(f"The standstill of {tender['title']} ended on {tender['stand_until']}.")
        if self.bids[tender["winner_id"]]["supplier_id"] == supplier_id:
            return _refused(f"{supplier['name']} has won {tender['title']}.")
        if not any(
            b["supplier_id"] == supplier_id
            and b["status"] in ("opened", "excluded")
            for b in self._bids_by_tender.get(tender_id, {}).values()
        ):
            return _refused(f"{supplier['name']} made no bid that was opened for {tender['title']}.")
        if self._complaints_by_tender_supplier_status.get((tender_id, supplier_id, "open"), {}):
            return _refused(f"A complaint of {supplier['name']} about {tender['title']} is open already.")
        self._journal = []
        complaint: Complaint = {
            "id": self._new_id("complaint", "COMPLAINT", self.complaints),
            "tender_id": tender_id,
            "supplier_id": supplier_id,
            "ground": ground,
            "filed_on": self.now[:10],
            "status": "open",
        }
        self._add("complaints", complaint)
        if self._breaks_rule_10_c(complaint):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c(complaint):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c_again(complaint):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: file the complaint of {supplier['name']} about {tender['title']} (new: complaint "
                f"{complaint['id']})."
            ),
            "data": {"complaint_id": complaint["id"], **self._changes()},
        }

    def decide_complaint(self, complaint_id: str, upheld: bool) -> Result:
        """Decide a complaint; if it is upheld the award falls, other complaints about it lapse, and the complainant's
        bid is to be marked again.

        Args:
            complaint_id (str): Id of the complaint, such as COMPLAINT-00001.
            upheld (bool): Whether the complaint is right, so that the award falls.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        complaint = self.complaints.get(complaint_id)
        if complaint is None:
            return _refused(f"There is no complaint {complaint_id!r}.")
        if complaint["status"] != "open":
            return _refused(f"That complaint is {complaint['status']}.")
        self._journal = []
        changed_complaints: list[Any] = []
        deleted_scores: list[Any] = []
        changed_tenders: list[Any] = []
        former_panel_ids: list[Any] = []
        changed_tenders_2: list[Any] = []
        changed_tenders_3: list[Any] = []
        changed_tenders_4: list[Any] = []
        if upheld:
            changed_complaints.append(complaint)
            self._put("complaints", complaint, "status", "upheld")
            for c in sorted(
                self._complaints_by_tender_status.get((complaint["tender_id"], "open"), {}).values(),
                key=_age,
            ):
                if c["status"] not in ("open", "dismissed"):
                    return self._take_back(f"Complaint {c['id']} cannot go from {c['status']} to dismissed.")
                changed_complaints.append(c)
                self._put("complaints", c, "status", "dismissed")
            for s in [
                s
                for s in sorted(
                    [
                        s
                        for _bid in self._bids_by_tender.get(complaint["tender_id"], {}).values()
                        for s in self._scores_by_bid.get(_bid["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.bids[s["bid_id"]]["supplier_id"] == complaint["supplier_id"]
            ]:
                if s["id"] in self.scores:
                    self._remove("scores", s)
                deleted_scores.append(s)
            for s in [
                s
                for s in sorted(
                    [
                        s
                        for _bid in self._bids_by_tender.get(complaint["tender_id"], {}).values()
                        for s in self._scores_by_bid.get(_bid["id"], {}).values()
                    ],
                    key=_age,
                )
                if self._conflicted(self.evaluators[s["evaluator_id"]], self.tenders[complaint["tender_id"]])
            ]:
                if s["id"] in self.scores:
                    self._remove("scores", s)
                deleted_scores.append(s)
            tender = self.tenders[complaint["tender_id"]]
            changed_tenders.append(tender)
            former_panel_ids.extend(tender["panel_ids"])
            self._put(
                "tenders",
                tender,
                "panel_ids",
                [
                    record["id"]
                    for record in [
                        e
                        for e in [self.evaluators[key] for key in self.tenders[complaint["tender_id"]]["panel_ids"]]
                        if not self._conflicted(e, self.tenders[complaint["tender_id"]])
                    ]
                ],
            )
            its_tender = self.tenders[complaint["tender_id"]]
            changed_tenders_2.append(its_tender)
            self._put("tenders", its_tender, "winner_id", None)
            its_tender_2 = self.tenders[complaint["tender_id"]]
            changed_tenders_3.append(its_tender_2)
            self._put("tenders", its_tender_2, "stand_until", None)
            its_tender_3 = self.tenders[complaint["tender_id"]]
            if its_tender_3["status"] not in ("published", "opened", "awarded"):
                return self._take_back(
                    f"Tender {its_tender_3['title']} cannot go from {its_tender_3['status']} to opened."
                )
            changed_tenders_4.append(its_tender_3)
            self._put("tenders", its_tender_3, "status", "opened")
        else:
            if complaint["status"] not in ("open", "dismissed"):
                return self._take_back(
                    f"Complaint {complaint['id']} cannot go from {complaint['status']} to dismissed."
                )
            changed_complaints.append(complaint)
            self._put("complaints", complaint, "status", "dismissed")
        for one_tender in _distinct(changed_tenders):
            if self._breaks_rule_3_t(one_tender):
                return self._take_back(RULES[2])
        for one_evaluator in _distinct(
            [
                *[self.evaluators[key] for one in changed_tenders for key in one["panel_ids"]],
                *[self.evaluators.get(key) for key in former_panel_ids],
                *[self.evaluators[key] for one in changed_tenders_4 for key in one["panel_ids"]],
            ]
        ):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        for one_tender in _distinct([*changed_tenders, *changed_tenders_4]):
            if self._breaks_rule_4(one_tender):
                return self._take_back(RULES[3])
        for one_bid in _distinct(
            [
                user
                for one in changed_tenders_4
                for user in self._bids_by_tender_status.get((one["id"], "sealed"), {}).values()
            ]
        ):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        for one_tender in _distinct([*changed_tenders, *changed_tenders_4]):
            if self._breaks_rule_6(one_tender):
                return self._take_back(RULES[5])
        for one_score in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_tenders
                    for user in self._bids_by_tender.get(one["id"], {}).values()
                ]
                for user in self._scores_by_bid.get(one["id"], {}).values()
            ]
        ):
            if one_score["id"] in self.scores and self._breaks_rule_7_s_again(one_score):
                return self._take_back(RULES[6])
        for one_tender in _distinct(changed_tenders_2):
            if self._breaks_rule_8_t(one_tender):
                return self._take_back(RULES[7])
        for one_tender in _distinct(
            [
                *[
                    user
                    for one in [self.bids[one["bid_id"]] for one in deleted_scores]
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in changed_tenders
                        for user in self._bids_by_tender.get(one["id"], {}).values()
                    ]
                    for user in self._tenders_by_winner.get(one["id"], {}).values()
                ],
                *changed_tenders_2,
            ]
        ):
            if self._breaks_rule_8_t_again(one_tender):
                return self._take_back(RULES[7])
        for one_bid in _distinct(
            [
                *[self.bids[one["bid_id"]] for one in deleted_scores],
                *[
                    user
                    for one in changed_tenders
                    for user in self._bids_by_tender_status.get((one["id"], "opened"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_b(one_bid):
                return self._take_back(RULES[7])
        for one_tender in _distinct([*changed_tenders_2, *changed_tenders_3, *changed_tenders_4]):
            if self._breaks_rule_9(one_tender):
                return self._take_back(RULES[8])
        for one_tender in _distinct([*changed_tenders_3, *changed_tenders_4]):
            if self._breaks_rule_10_t(one_tender):
                return self._take_back(RULES[9])
        for one_complaint in _distinct(
            [
                *changed_complaints,
                *[
                    user
                    for one in changed_tenders_4
                    for user in self._complaints_by_tender_status.get((one["id"], "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_c(one_complaint):
                return self._take_back(RULES[9])
        for one_complaint in _distinct(
            [
                *changed_complaints,
                *[
                    user
                    for one in changed_tenders_2
                    for user in self._complaints_by_tender_status.get((one["id"], "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11_c(one_complaint):
                return self._take_back(RULES[10])
        for one_complaint in _distinct(changed_complaints):
            if self._breaks_rule_11_c_again(one_complaint):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: decide the complaint of {self.suppliers[complaint['supplier_id']]['name']} about "
                f"{self.tenders[complaint['tender_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def sign_contract(self, tender_id: str) -> Result:
        """Sign the contract of an awarded tender after the standstill, with no complaint open.

        Args:
            tender_id (str): Id of the tender, such as TENDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tender = self.tenders.get(tender_id)
        if tender is None:
            return _refused(f"There is no tender {tender_id!r}.")
        if tender["status"] != "awarded" or tender["stand_until"] is None:
            return _refused(f"{tender['title']} is {tender['status']}.")
        if self.now[:10] <= tender["stand_until"]:
            return _refused(f"The standstill of {tender['title']} lasts until {tender['stand_until']}.")
        trouble = self._complaint_on(tender)
        if trouble is not None:
            return _refused(
                f"The complaint of {self.suppliers[trouble['supplier_id']]['name']} about {tender['title']} is open."
            )
        self._journal = []
        self._put("tenders", tender, "signed_on", self.now[:10])
        self._put("tenders", tender, "status", "contracted")
        for one_evaluator in _distinct([self.evaluators[key] for key in tender["panel_ids"]]):
            if self._breaks_rule_3_e(one_evaluator):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(tender):
            return self._take_back(RULES[3])
        for one_bid in _distinct(self._bids_by_tender_status.get((tender["id"], "sealed"), {}).values()):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(tender):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(tender):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_t(tender):
            return self._take_back(RULES[9])
        for one_complaint in _distinct(self._complaints_by_tender_status.get((tender["id"], "open"), {}).values()):
            if self._breaks_rule_10_c(one_complaint):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: sign the contract for {tender['title']}.",
            "data": self._changes(),
        }

    def _show_evaluator(self, evaluator: Evaluator) -> dict[str, Any]:
        """The evaluator as an answer shows it."""
        return {
            **evaluator,
            "family_in_ids": [*evaluator["family_in_ids"]],
            "shares_in_ids": [*evaluator["shares_in_ids"]],
            "worked_for_ids": [*evaluator["worked_for_ids"]],
            "panels": self._evaluator_panels(evaluator),
        }

    def _show_tender(self, tender: Tender) -> dict[str, Any]:
        """The tender as an answer shows it."""
        return {**tender, "panel_ids": [*tender["panel_ids"]], "lowest": self._tender_lowest(tender)}

    def _show_bid(self, bid: Bid) -> dict[str, Any]:
        """The bid as an answer shows it."""
        return {
            **bid,
            "price": self._bid_price(bid),
            "quality": self._bid_quality(bid),
            "price_points": self._bid_price_points(bid),
            "total": self._bid_total(bid),
        }

    def _names_of_evaluators(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that evaluators point to."""
        return _names(
            (self.suppliers, "name", [each for row in shown for each in row["family_in_ids"]]),
            (self.suppliers, "name", [each for row in shown for each in row["shares_in_ids"]]),
            (self.suppliers, "name", [each for row in shown for each in row["worked_for_ids"]]),
        )

    def _names_of_tenders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tenders point to."""
        return _names(
            (self.evaluators, "name", [each for row in shown for each in row["panel_ids"]]),
            (self.bids, "envelope", [row["winner_id"] for row in shown]),
        )

    def _names_of_criteria(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that criteria point to."""
        return _names((self.tenders, "title", [row["tender_id"] for row in shown]))

    def _names_of_bids(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bids point to."""
        return _names(
            (self.tenders, "title", [row["tender_id"] for row in shown]),
            (self.suppliers, "name", [row["supplier_id"] for row in shown]),
        )

    def _names_of_scores(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that scores point to."""
        return _names(
            (self.bids, "envelope", [row["bid_id"] for row in shown]),
            (self.criteria, "name", [row["criterion_id"] for row in shown]),
            (self.evaluators, "name", [row["evaluator_id"] for row in shown]),
        )

    def _names_of_complaints(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that complaints point to."""
        return _names(
            (self.tenders, "title", [row["tender_id"] for row in shown]),
            (self.suppliers, "name", [row["supplier_id"] for row in shown]),
        )

    def _evaluator_panels(self, evaluator: Evaluator) -> int:
        """The panels of an evaluator."""
        return sum(
            1
            for t in self._tenders_by_panel.get(evaluator["id"], {}).values()
            if t["status"] not in ("contracted", "failed")
        )

    def _tender_lowest(self, tender: Tender) -> int | None:
        """The lowest of a tender."""
        return min(
            (
                o["price"]
                for b in self._bids_by_tender_status.get((tender["id"], "opened"), {}).values()
                for o in self._offers_by_bid.get(b["id"], {}).values()
            ),
            default=None,
        )

    def _bid_price(self, bid: Bid) -> int | None:
        """The price of a bid."""
        return next(
            (
                o["price"]
                for o in sorted(self._offers_by_bid.get(bid["id"], {}).values(), key=_age)
                if bid["status"] in ("opened", "excluded")
            ),
            None,
        )

    def _bid_quality(self, bid: Bid) -> int:
        """The quality of a bid."""
        return (
            _rounded(
                Fraction(
                    sum(
                        s["points"] * self.criteria[s["criterion_id"]]["weight"]
                        for s in self._scores_by_bid.get(bid["id"], {}).values()
                    ) * 10,
                    len(self.tenders[bid["tender_id"]]["panel_ids"]),
                )
            )
            if len(self.tenders[bid["tender_id"]]["panel_ids"]) != 0
            else 0
        )

    def _bid_price_points(self, bid: Bid) -> int:
        """The price points of a bid."""
        return (
            _rounded(
                Fraction(
                    self.tenders[bid["tender_id"]]["price_weight"] * 100 * self._tender_lowest(
                        self.tenders[bid["tender_id"]]
                    ),
                    self._bid_price(bid),
                )
            )
            if (
                self._tender_lowest(self.tenders[bid["tender_id"]]) is not None
                and self._bid_price(bid) is not None
                and self._bid_price(bid) != 0
                and bid["status"] == "opened"
            )
            else 0
        )

    def _bid_total(self, bid: Bid) -> int:
        """The total of a bid."""
        return self._bid_quality(bid) + self._bid_price_points(bid) if bid["status"] == "opened" else 0

    def _live(self, b: Bid) -> bool:
        return b["status"] in ("sealed", "opened")

    def _bids_in(self, t: Tender) -> list[Bid]:
        return sorted(self._bids_by_tender_status.get((t["id"], "opened"), {}).values(), key=_age)

    def _cost(self, b: Bid) -> int:
        return self._bid_price(b) if self._bid_price(b) is not None else 0

    def _tied(self, e: Evaluator, s: Supplier) -> bool:
        return s["id"] in e["family_in_ids"] or s["id"] in e["shares_in_ids"] or s["id"] in e["worked_for_ids"]

    def _conflicted(self, e: Evaluator, t: Tender) -> bool:
        return any(
            self._live(b)
            and self._tied(e, self.suppliers[b["supplier_id"]])
            for b in self._bids_by_tender.get(t["id"], {}).values()
        )

    def _marked(self, b: Bid, e: Evaluator) -> int:
        return len(self._scores_by_bid_evaluator.get((b["id"], e["id"]), {}))

    def _criteria_of(self, t: Tender) -> list[Criterion]:
        return sorted(self._criteria_by_tender.get(t["id"], {}).values(), key=_age)

    def _unmarked(self, t: Tender) -> Bid | None:
        return next(
            (
                b
                for b in sorted(self._bids_by_tender_status.get((t["id"], "opened"), {}).values(), key=_age)
                if any(
                    self._marked(b, e) < len(self._criteria_of(t))
                    for e in [self.evaluators[key] for key in t["panel_ids"]]
                )
            ),
            None,
        )

    def _complaint_on(self, t: Tender) -> Complaint | None:
        return next(
            (c for c in sorted(self._complaints_by_tender_status.get((t["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _best(self, t: Tender) -> Bid | None:
        return min(
            self._bids_in(t),
            key=lambda b: (-self._bid_total(b), self._cost(b), b["envelope"], _age(b)),
            default=None,
        )

    def _breaks_rule_1(self, o: Offer) -> bool:
        """Whether this is broken: an envelope holds one price."""
        return any(other_o is not o for other_o in self._offers_by_bid.get(o["bid_id"], {}).values())

    def _breaks_rule_2(self, b: Bid) -> bool:
        """Whether this is broken: a supplier has one live bid in a tender."""
        return (
            self._live(b)
            and any(
                other_b is not b
                for other_b in self._bids_by_tender_supplier.get((b["tender_id"], b["supplier_id"]), {}).values()
                if self._live(other_b)
            )
        )

    def _breaks_rule_3_t(self, t: Tender) -> bool:
        """Whether this is broken: evaluators sit once on a panel of four at most, and on three panels at a time."""
        return not (
            _different([e["id"] for e in [self.evaluators[key] for key in t["panel_ids"]]])
            and len(t["panel_ids"]) <= 4
        )

    def _breaks_rule_3_e(self, e: Evaluator) -> bool:
        """Whether this is broken: evaluators sit once on a panel of four at most, and on three panels at a time."""
        return self._evaluator_panels(e) > 3

    def _breaks_rule_4(self, t: Tender) -> bool:
        """Whether this is broken: nobody evaluates a tender in which they have an interest in a bidder."""
        return (
            t["status"] in ("published", "opened")
            and any(self._conflicted(e, t) for e in [self.evaluators[key] for key in t["panel_ids"]])
        )

    def _breaks_rule_5_b(self, b: Bid) -> bool:
        """Whether this is broken: bids stay sealed until the tender is opened, which happens after it closed."""
        return (
            b["status"] == "sealed"
            and self.tenders[b["tender_id"]]["status"] in ("draft", "opened", "awarded", "contracted", "failed")
        )

    def _breaks_rule_5_b_again(self, b: Bid) -> bool:
        """Whether this is broken: bids stay sealed until the tender is opened, which happens after it closed."""
        return (
            self.tenders[b["tender_id"]]["closes_on"] is None
            or b["submitted_on"] > self.tenders[b["tender_id"]]["closes_on"]
        )

    def _breaks_rule_5_t(self, t: Tender) -> bool:
        """Whether this is broken: bids stay sealed until the tender is opened, which happens after it closed."""
        return not (t["opened_on"] is None or t["closes_on"] is not None and t["opened_on"] > t["closes_on"])

    def _breaks_rule_6(self, t: Tender) -> bool:
        """Whether this is broken: an award rests on the marks of at least two evaluators."""
        return t["status"] in ("awarded", "contracted") and len(t["panel_ids"]) < 2

    def _breaks_rule_7_s(self, s: Score) -> bool:
        """Whether this is broken: a bid is marked once on each criterion by each member of the panel, and only while
        it is in the running.
        """
        return any(
            other_s is not s
            for other_s in self._scores_by_bid_criterion_evaluator.get(
                (s["bid_id"], s["criterion_id"], s["evaluator_id"]),
                {},
            ).values()
        )

    def _breaks_rule_7_s_again(self, s: Score) -> bool:
        """Whether this is broken: a bid is marked once on each criterion by each member of the panel, and only while
        it is in the running.
        """
        return (
            self.criteria[s["criterion_id"]]["tender_id"] != self.bids[s["bid_id"]]["tender_id"]
            or s["evaluator_id"] not in self.tenders[self.bids[s["bid_id"]]["tender_id"]]["panel_ids"]
            or self.bids[s["bid_id"]]["status"] != "opened"
        )

    def _breaks_rule_8_t(self, t: Tender) -> bool:
        """Whether this is broken: the winner is in the running, within the budget, and nobody has a better total."""
        return not (
            t["winner_id"] is None
            or self.bids[t["winner_id"]]["tender_id"] == t["id"]
            and self.bids[t["winner_id"]]["status"] == "opened"
            and self._cost(self.bids[t["winner_id"]]) <= t["budget"]
        )

    def _breaks_rule_8_t_again(self, t: Tender) -> bool:
        """Whether this is broken: the winner is in the running, within the budget, and nobody has a better total."""
        return (
            t["winner_id"] is not None
            and any(
                self._bid_total(b) > self._bid_total(self.bids[t["winner_id"]])
                for b in self._bids_by_tender_status.get((t["id"], "opened"), {}).values()
            )
        )

    def _breaks_rule_8_b(self, b: Bid) -> bool:
        """Whether this is broken: the winner is in the running, within the budget, and nobody has a better total."""
        return (
            b["status"] == "opened"
            and any(
                self._bid_total(b) > self._bid_total(self.bids[t["winner_id"]])
                for t in _those(self.tenders, [b["tender_id"]])
                if t["winner_id"] is not None
            )
        )

    def _breaks_rule_9(self, t: Tender) -> bool:
        """Whether this is broken: awarded and contracted tenders have a winner and a standstill, and no others."""
        return (
            (t["status"] in ("awarded", "contracted")) != (t["winner_id"] is not None)
            or (t["winner_id"] is None) != (t["stand_until"] is None)
        )

    def _breaks_rule_10_t(self, t: Tender) -> bool:
        """Whether this is broken: a contract is signed after the standstill and with no complaint open."""
        return not (
            (t["status"] == "contracted") == (t["signed_on"] is not None)
            and (t["signed_on"] is None or t["stand_until"] is not None and t["signed_on"] > t["stand_until"])
        )

    def _breaks_rule_10_c(self, c: Complaint) -> bool:
        """Whether this is broken: a contract is signed after the standstill and with no complaint open."""
        return c["status"] == "open" and self.tenders[c["tender_id"]]["status"] != "awarded"

    def _breaks_rule_11_c(self, c: Complaint) -> bool:
        """Whether this is broken: only a losing bidder complains, and once about an award."""
        return (
            c["status"] == "open"
            and (
                self.tenders[c["tender_id"]]["winner_id"] is not None
                and self.bids[self.tenders[c["tender_id"]]["winner_id"]]["supplier_id"] == c["supplier_id"]
            )
        )

    def _breaks_rule_11_c_again(self, c: Complaint) -> bool:
        """Whether this is broken: only a losing bidder complains, and once about an award."""
        return (
            c["status"] == "open"
            and any(
                other_c is not c
                for other_c in self._complaints_by_tender_supplier_status.get(
                    (c["tender_id"], c["supplier_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_12(self, b: Bid) -> bool:
        """Whether this is broken: a bid that was taken out says why."""
        return (b["status"] in ("withdrawn", "excluded")) != (b["reason"] is not None)

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
            case "tenders":
                for key in record["panel_ids"]:
                    self._tenders_by_panel.setdefault(key, {})[record["id"]] = record
                self._tenders_by_winner.setdefault(record["winner_id"], {})[record["id"]] = record
            case "criteria":
                self._criteria_by_tender.setdefault(record["tender_id"], {})[record["id"]] = record
            case "bids":
                self._bids_by_envelope.setdefault(record["envelope"], {})[record["id"]] = record
                self._bids_by_lower_envelope.setdefault(record["envelope"].lower(), {})[record["id"]] = record
                self._bids_by_tender.setdefault(record["tender_id"], {})[record["id"]] = record
                self._bids_by_tender_status.setdefault((record["tender_id"], record["status"]), {})[record["id"]] = record
                self._bids_by_tender_supplier.setdefault(
                    (record["tender_id"], record["supplier_id"]),
                    {},
                )[record["id"]] = record
            case "offers":
                self._offers_by_bid.setdefault(record["bid_id"], {})[record["id"]] = record
            case "scores":
                self._scores_by_bid.setdefault(record["bid_id"], {})[record["id"]] = record
                self._scores_by_bid_criterion_evaluator.setdefault(
                    (record["bid_id"], record["criterion_id"], record["evaluator_id"]),
                    {},
                )[record["id"]] = record
                self._scores_by_bid_evaluator.setdefault(
                    (record["bid_id"], record["evaluator_id"]),
                    {},
                )[record["id"]] = record
                self._scores_by_evaluator.setdefault(record["evaluator_id"], {})[record["id"]] = record
            case "complaints":
                self._complaints_by_tender_status.setdefault(
                    (record["tender_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._complaints_by_tender_supplier_status.setdefault(
                    (record["tender_id"], record["supplier_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tenders":
                for key in record["panel_ids"]:
                    self._tenders_by_panel[key].pop(record["id"], None)
                del self._tenders_by_winner[record["winner_id"]][record["id"]]
            case "criteria":
                del self._criteria_by_tender[record["tender_id"]][record["id"]]
            case "bids":
                del self._bids_by_envelope[record["envelope"]][record["id"]]
                del self._bids_by_lower_envelope[record["envelope"].lower()][record["id"]]
                del self._bids_by_tender[record["tender_id"]][record["id"]]
                del self._bids_by_tender_status[record["tender_id"], record["status"]][record["id"]]
                del self._bids_by_tender_supplier[record["tender_id"], record["supplier_id"]][record["id"]]
            case "offers":
                del self._offers_by_bid[record["bid_id"]][record["id"]]
            case "scores":
                del self._scores_by_bid[record["bid_id"]][record["id"]]
                del self._scores_by_bid_criterion_evaluator[
                    record["bid_id"],
                    record["criterion_id"],
                    record["evaluator_id"],
                ][record["id"]]
                del self._scores_by_bid_evaluator[record["bid_id"], record["evaluator_id"]][record["id"]]
                del self._scores_by_evaluator[record["evaluator_id"]][record["id"]]
            case "complaints":
                del self._complaints_by_tender_status[record["tender_id"], record["status"]][record["id"]]
                del self._complaints_by_tender_supplier_status[
                    record["tender_id"],
                    record["supplier_id"],
                    record["status"],
                ][record["id"]]
