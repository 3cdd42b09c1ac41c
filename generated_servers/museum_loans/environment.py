"""Museum loans. Compiled from blueprint.yaml; run `envscaler build museum_loans` after changing it there.

Lends the works of a museum to exhibitions elsewhere, with climate classes, condition reports before and after,
couriers, and transports that carry no more than they are insured for.
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
    "A work is promised to one exhibition at a time, with four weeks between two of them.",
    "A work goes only to hosts whose climate class is as high as its own and whose agreement covers the exhibition.",
    "A transport never carries more than it is insured for.",
    "No more than two works by one maker travel together.",
    "A work travels on a transport of its host, out in time for the opening and home after the last day.",
    "A loan has one transport each way, and a transport that has not left holds only works that are ready for it.",
    "Nothing leaves the house without a condition report.",
    "A loan is closed by a report made after it, and only closed loans have one.",
    "A condition report is made once per stage by somebody who knows the material, for loans that were approved.",
    "A transport that is more than half full by value leaves with a courier, and nobody accompanies two on a day.",
    "A work is away as long as its loan is on the road, shown or not yet checked.",
    "An exhibition ends after it opens.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_loan",
    "approve_loan",
    "turn_down_loan",
    "plan_transport",
    "book_place",
    "name_courier",
    "write_report",
    "dispatch_transport",
    "receive_transport",
    "release_artwork",
    "extend_exhibition",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "institutions": ("name",),
    "artworks": ("title",),
    "exhibitions": ("title",),
    "conservators": ("name",),
    "loans": (),
    "transports": ("code",),
    "legs": (),
    "reports": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("legs", "loan_id"),
    ("legs", "transport_id"),
    ("loans", "artwork_id"),
    ("loans", "exhibition_id"),
    ("reports", "loan_id"),
    ("reports", "stage"),
    ("transports", "code"),
    ("transports", "courier_id"),
    ("transports", "host_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Institution(TypedDict):
    id: str
    name: str
    climate: int
    agreement_until: str


class Artwork(TypedDict):
    id: str
    title: str
    maker: str
    material: Literal["painting", "paper", "sculpture", "textile"]
    climate: int
    value: int
    rest_until: str | None
    status: Literal["store", "away", "conservation"]


class Exhibition(TypedDict):
    id: str
    title: str
    host_id: str
    opens: str
    closes: str


class Conservator(TypedDict):
    id: str
    name: str
    materials: list[Literal["painting", "paper", "sculpture", "textile"]]


class Loan(TypedDict):
    id: str
    artwork_id: str
    exhibition_id: str
    insured: int
    status: Literal["requested", "approved", "refused", "travelling", "withdrawn", "shown", "unpacked", "closed"]


class Transport(TypedDict):
    id: str
    code: str
    host_id: str
    direction: Literal["out", "home"]
    leaves_on: str
    limit: int
    courier_id: str | None
    status: Literal["planned", "departed", "arrived"]


class Leg(TypedDict):
    id: str
    loan_id: str
    transport_id: str


class Report(TypedDict):
    id: str
    loan_id: str
    stage: Literal["before", "after"]
    grade: int
    author_id: str
    made_on: str


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class MuseumLoans:
    """Lends the works of a museum to exhibitions elsewhere, with climate classes, condition reports before
    and after, couriers, and transports that carry no more than they are insured for.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.institutions: dict[str, Institution] = _copied(config.get("institutions", {}))
        self.artworks: dict[str, Artwork] = _copied(config.get("artworks", {}))
        self.exhibitions: dict[str, Exhibition] = _copied(config.get("exhibitions", {}))
        self.conservators: dict[str, Conservator] = _copied(config.get("conservators", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.transports: dict[str, Transport] = _copied(config.get("transports", {}))
        self.legs: dict[str, Leg] = _copied(config.get("legs", {}))
        self.reports: dict[str, Report] = _copied(config.get("reports", {}))
        self.now: str = config.get("now", "2026-05-11T09:00")
        self.counters: dict[str, int] = {
            "institution": len(self.institutions),
            "artwork": len(self.artworks),
            "exhibition": len(self.exhibitions),
            "conservator": len(self.conservators),
            "loan": len(self.loans),
            "transport": len(self.transports),
            "leg": len(self.legs),
            "report": len(self.reports),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._loans_by_artwork: dict[Any, dict[str, Loan]] = {}
        self._loans_by_artwork_exhibition: dict[Any, dict[str, Loan]] = {}
        self._loans_by_exhibition: dict[Any, dict[str, Loan]] = {}
        self._transports_by_code: dict[Any, dict[str, Transport]] = {}
        self._transports_by_courier: dict[Any, dict[str, Transport]] = {}
        self._transports_by_host: dict[Any, dict[str, Transport]] = {}
        self._legs_by_loan: dict[Any, dict[str, Leg]] = {}
        self._legs_by_transport: dict[Any, dict[str, Leg]] = {}
        self._reports_by_loan: dict[Any, dict[str, Report]] = {}
        self._reports_by_loan_stage: dict[Any, dict[str, Report]] = {}
        for loan in self.loans.values():
            self._link("loans", loan)
        for transport in self.transports.values():
            self._link("transports", transport)
        for leg in self.legs.values():
            self._link("legs", leg)
        for report in self.reports.values():
            self._link("reports", report)

    def transports_for(self, loan_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Planned transports on which a loan could travel, those with the most insurance left first.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "transports": records}} or {"success": False, "error":
                why not}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        found = [
            t
            for t in self._transports_by_host.get(self.exhibitions[loan["exhibition_id"]]["host_id"], {}).values()
            if (t["status"] == "planned" and self._right_way(loan, t))
            and loan["insured"] <= self._left(t)
            and self._same_maker(t, self.artworks[loan["artwork_id"]]["maker"]) < 2
        ]
        found.sort(key=lambda t: (-self._left(t), t["code"], _age(t)))
        return _found(
            {
                "total": len(found),
                "transports": [
                    {"id": t["id"], "code": t["code"], "leaves_on": t["leaves_on"], "left": self._left(t)}
                    for t in _page(found, offset)
                ],
            }
        )

    def loan_check(self, artwork_id: str, exhibition_id: str) -> Result:
        """Whether a work could be lent to an exhibition, and what stands in the way.

        Args:
            artwork_id (str): Id of the artwork, such as ARTWORK-00001.
            exhibition_id (str): Id of the exhibition, such as EXHIBITION-00001.

        Returns:
            dict: {"success": True, "data": {possible, climate_is_enough, agreement_is_enough, rests,
                in_conservation, promised_to}} or {"success": False, "error": why not}
        """
        artwork = self.artworks.get(artwork_id)
        if artwork is None:
            return _refused(f"There is no artwork {artwork_id!r}.")
        exhibition = self.exhibitions.get(exhibition_id)
        if exhibition is None:
            return _refused(f"There is no exhibition {exhibition_id!r}.")
        other = self._promised(artwork, exhibition["opens"], exhibition["closes"])
        answer = {
            "possible": self._fits(artwork, exhibition),
            "climate_is_enough": artwork["climate"] <= self.institutions[exhibition["host_id"]]["climate"],
            "agreement_is_enough": exhibition["closes"] <= self.institutions[
                exhibition["host_id"]
            ]["agreement_until"],
            "rests": artwork["rest_until"] is not None and artwork["rest_until"] >= exhibition["opens"],
            "in_conservation": artwork["status"] == "conservation",
            "promised_to": other["exhibition_id"] if other is not None else None,
        }
        return _found(answer, _names((self.exhibitions, "title", [row["promised_to"] for row in [answer]])))

    def packing_list(
        self,
        transport_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What a transport carries, whether each work has its report, and whether a courier is needed.

        Args:
            transport_id (str): Id of the transport, such as TRANSPORT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "legs": records}} or {"success": False, "error": why
                not}
        """
        transport = self.transports.get(transport_id)
        if transport is None:
            return _refused(f"There is no transport {transport_id!r}.")
        found = [g for g in self._legs_by_transport.get(transport_id, {}).values()]
        found.sort(key=lambda g: (self.artworks[self.loans[g["loan_id"]]["artwork_id"]]["title"], _age(g)))
        return _found(
            {
                "total": len(found),
                "legs": [
                    {
                        "loan_id": g["loan_id"],
                        "artwork": self.artworks[self.loans[g["loan_id"]]["artwork_id"]]["title"],
                        "insured": self.loans[g["loan_id"]]["insured"],
                        "reported": self._report_of(self.loans[g["loan_id"]], "before") is not None,
                        "courier_needed": self._needs_courier(transport),
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def list_institutions(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the institutions, oldest first, all of them or only some.

        Args:
            name (str, optional): Only institutions whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "institutions": records}}
        """
        found = [
            institution
            for institution in self.institutions.values()
            if (name is None or name.casefold() in institution["name"].casefold())
        ]
        return _found(
            {"total": len(found), "institutions": [{**institution} for institution in _page(found, offset)]}
        )

    def list_artworks(
        self,
        title: Text | None = None,
        material: Literal["painting", "paper", "sculpture", "textile"] | None = None,
        status: Literal["store", "away", "conservation"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the artworks, oldest first, all of them or only some.

        Args:
            title (str, optional): Only artworks whose title contains this text.
            material (str, optional): Only artworks with this material.
            status (str, optional): Only artworks with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "artworks": records}}
        """
        found = [
            artwork
            for artwork in self.artworks.values()
            if (title is None or title.casefold() in artwork["title"].casefold())
            and (material is None or artwork["material"] == material)
            and (status is None or artwork["status"] == status)
        ]
        return _found({"total": len(found), "artworks": [{**artwork} for artwork in _page(found, offset)]})

    def list_exhibitions(
        self,
        title: Text | None = None,
        host_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the exhibitions, oldest first, all of them or only some.

        Args:
            title (str, optional): Only exhibitions whose title contains this text.
            host_id (str, optional): Only exhibitions whose host is this institution.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "exhibitions": records}}
        """
        if host_id is not None and host_id not in self.institutions:
            return _refused(f"There is no institution {host_id!r}.")
        found = [
            exhibition
            for exhibition in self.exhibitions.values()
            if (title is None or title.casefold() in exhibition["title"].casefold())
            and (host_id is None or exhibition["host_id"] == host_id)
        ]
        shown = [{**exhibition} for exhibition in _page(found, offset)]
        return _found({"total": len(found), "exhibitions": shown}, self._names_of_exhibitions(shown))

    def list_conservators(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the conservators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only conservators whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "conservators": records}}
        """
        found = [
            conservator
            for conservator in self.conservators.values()
            if (name is None or name.casefold() in conservator["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "conservators": [self._show_conservator(conservator) for conservator in _page(found, offset)],
            }
        )

    def list_loans(
        self,
        artwork_id: str | None = None,
        exhibition_id: str | None = None,
        status: Literal[
            "requested",
            "approved",
            "refused",
            "travelling",
            "withdrawn",
            "shown",
            "unpacked",
            "closed",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            artwork_id (str, optional): Only loans of this artwork.
            exhibition_id (str, optional): Only loans of this exhibition.
            status (str, optional): Only loans with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if artwork_id is not None and artwork_id not in self.artworks:
            return _refused(f"There is no artwork {artwork_id!r}.")
        if exhibition_id is not None and exhibition_id not in self.exhibitions:
            return _refused(f"There is no exhibition {exhibition_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (artwork_id is None or loan["artwork_id"] == artwork_id)
            and (exhibition_id is None or loan["exhibition_id"] == exhibition_id)
            and (status is None or loan["status"] == status)
        ]
        shown = [{**loan} for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def list_transports(
        self,
        code: Text | None = None,
        host_id: str | None = None,
        direction: Literal["out", "home"] | None = None,
        courier_id: str | None = None,
        status: Literal["planned", "departed", "arrived"] | None = None,
        leaves_on_from: Date | None = None,
        leaves_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the transports, oldest first, all of them or only some.

        Args:
            code (str, optional): Only transports whose code contains this text.
            host_id (str, optional): Only transports whose host is this institution.
            direction (str, optional): Only transports with this direction.
            courier_id (str, optional): Only transports whose courier is this conservator.
            status (str, optional): Only transports with this status.
            leaves_on_from (str, optional): Only transports whose `leaves_on` is on this day or later.
            leaves_on_to (str, optional): Only transports whose `leaves_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "transports": records}}
        """
        if host_id is not None and host_id not in self.institutions:
            return _refused(f"There is no institution {host_id!r}.")
        if courier_id is not None and courier_id not in self.conservators:
            return _refused(f"There is no conservator {courier_id!r}.")
        found = [
            transport
            for transport in self.transports.values()
            if (code is None or code.casefold() in transport["code"].casefold())
            and (host_id is None or transport["host_id"] == host_id)
            and (direction is None or transport["direction"] == direction)
            and (courier_id is None or transport["courier_id"] == courier_id)
            and (status is None or transport["status"] == status)
            and (leaves_on_from is None or transport["leaves_on"] >= leaves_on_from)
            and (leaves_on_to is None or transport["leaves_on"] <= leaves_on_to)
        ]
        shown = [self._show_transport(transport) for transport in _page(found, offset)]
        return _found({"total": len(found), "transports": shown}, self._names_of_transports(shown))

    def list_legs(
        self,
        loan_id: str | None = None,
        transport_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the legs, oldest first, all of them or only some.

        Args:
            loan_id (str, optional): Only legs of this loan.
            transport_id (str, optional): Only legs of this transport.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "legs": records}}
        """
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        if transport_id is not None and transport_id not in self.transports:
            return _refused(f"There is no transport {transport_id!r}.")
        found = [
            leg
            for leg in self.legs.values()
            if (loan_id is None or leg["loan_id"] == loan_id)
            and (transport_id is None or leg["transport_id"] == transport_id)
        ]
        shown = [{**leg} for leg in _page(found, offset)]
        return _found({"total": len(found), "legs": shown}, self._names_of_legs(shown))

    def list_reports(
        self,
        loan_id: str | None = None,
        stage: Literal["before", "after"] | None = None,
        author_id: str | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reports, oldest first, all of them or only some.

        Args:
            loan_id (str, optional): Only reports of this loan.
            stage (str, optional): Only reports with this stage.
            author_id (str, optional): Only reports whose author is this conservator.
            made_on_from (str, optional): Only reports whose `made_on` is on this day or later.
            made_on_to (str, optional): Only reports whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reports": records}}
        """
        if loan_id is not None and loan_id not in self.loans:
            return _refused(f"There is no loan {loan_id!r}.")
        if author_id is not None and author_id not in self.conservators:
            return _refused(f"There is no conservator {author_id!r}.")
        found = [
            report
            for report in self.reports.values()
            if (loan_id is None or report["loan_id"] == loan_id)
            and (stage is None or report["stage"] == stage)
            and (author_id is None or report["author_id"] == author_id)
            and (made_on_from is None or report["made_on"] >= made_on_from)
            and (made_on_to is None or report["made_on"] <= made_on_to)
        ]
        shown = [{**report} for report in _page(found, offset)]
        return _found({"total": len(found), "reports": shown}, self._names_of_reports(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_loan(self, artwork_id: str, exhibition_id: str) -> Result:
        """Enter the request of a host for a work in an exhibition.

        Args:
            artwork_id (str): Id of the artwork, such as ARTWORK-00001.
            exhibition_id (str): Id of the exhibition, such as EXHIBITION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        artwork = self.artworks.get(artwork_id)
        if artwork is None:
            return _refused(f"There is no artwork {artwork_id!r}.")
        exhibition = self.exhibitions.get(exhibition_id)
        if exhibition is None:
            return _refused(f"There is no exhibition {exhibition_id!r}.")
        if self.now[:10] >= exhibition["opens"]:
            return _refused(f"{exhibition['title']} opened on {exhibition['opens']}.")
        if any(
            l["status"] not in ("refused", "withdrawn")
            for l in self._loans_by_artwork_exhibition.get((artwork_id, exhibition_id), {}).values()
        ):
            return _refused(f"{artwork['title']} has been requested for {exhibition['title']} already.")
        self._journal = []
        loan: Loan = {
            "id": self._new_id("loan", "LOAN", self.loans),
            "artwork_id": artwork_id,
            "exhibition_id": exhibition_id,
            "insured": 0,
            "status": "requested",
        }
        self._add("loans", loan)
        if self._breaks_rule_1(loan):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if self._breaks_rule_8(loan):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(loan):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: enter the request for {artwork['title']} in {exhibition['title']} (new: loan {loan['id']})."
            ),
            "data": {"loan_id": loan["id"], **self._changes()},
        }

    def approve_loan(self, loan_id: str) -> Result:
        """Approve a requested loan; the work is then insured at its value.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] != "requested":
            return _refused(f"The loan of {self.artworks[loan['artwork_id']]['title']} is {loan['status']}.")
        if _plus_days(self.now[:10], 7) > self.exhibitions[loan["exhibition_id"]]["opens"]:
            return _refused(
                f"{self.exhibitions[loan['exhibition_id']]['title']} opens on "
                f"{self.exhibitions[loan['exhibition_id']]['opens']}, in less than a week."
            )
        if self.artworks[loan["artwork_id"]]["status"] == "conservation":
            return _refused(f"{self.artworks[loan['artwork_id']]['title']} is in conservation, so release it first.")
        if self.artworks[loan["artwork_id"]]["climate"] > self.institutions[
            self.exhibitions[loan["exhibition_id"]]["host_id"]
        ]["climate"]:
            return _refused(
                f"{self.artworks[loan['artwork_id']]['title']} needs climate class "
                f"{self.artworks[loan['artwork_id']]['climate']}, and "
                f"{self.institutions[self.exhibitions[loan['exhibition_id']]['host_id']]['name']} has class "
                f"{self.institutions[self.exhibitions[loan['exhibition_id']]['host_id']]['climate']}."
            )
        if self.exhibitions[loan["exhibition_id"]]["closes"] > self.institutions[
            self.exhibitions[loan["exhibition_id"]]["host_id"]
        ]["agreement_until"]:
            return _refused(
                "The agreement with "
                f"{self.institutions[self.exhibitions[loan['exhibition_id']]['host_id']]['name']} ends on "
                f"{self.institutions[self.exhibitions[loan['exhibition_id']]['host_id']]['agreement_until']}."
            )
        if (
            self.artworks[loan["artwork_id"]]["rest_until"] is not None
            and self.artworks[loan["artwork_id"]]["rest_until"] >= self.exhibitions[loan["exhibition_id"]]["opens"]
        ):
            return _refused(
                f"{self.artworks[loan['artwork_id']]['title']} rests until "
                f"{self.artworks[loan['artwork_id']]['rest_until']}."
            )
        other = self._promised(
            self.artworks[loan["artwork_id"]],
            self.exhibitions[loan["exhibition_id"]]["opens"],
            self.exhibitions[loan["exhibition_id"]]["closes"],
        )
        if other is not None:
            return _refused(
                f"{self.artworks[loan['artwork_id']]['title']} is promised to "
                f"{self.exhibitions[other['exhibition_id']]['title']} until "
                f"{self.exhibitions[other['exhibition_id']]['closes']}, and four weeks must lie between."
            )
        self._journal = []
        self._put("loans", loan, "insured", self.artworks[loan["artwork_id"]]["value"])
        self._put("loans", loan, "status", "approved")
        if self._breaks_rule_1(loan):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        for one_transport in _distinct(
            [self.transports[one["transport_id"]] for one in self._legs_by_loan.get(loan["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_transport):
                return self._take_back(RULES[2])
        for one_leg in _distinct(self._legs_by_loan.get(loan["id"], {}).values()):
            if self._breaks_rule_6_g_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(self._legs_by_loan.get(loan["id"], {}).values()):
            if self._breaks_rule_6_g_again_again(one_leg):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(loan):
            return self._take_back(RULES[7])
        for one_report in _distinct(self._reports_by_loan.get(loan["id"], {}).values()):
            if self._breaks_rule_9_r_again(one_report):
                return self._take_back(RULES[8])
        for one_transport in _distinct(
            [self.transports[one["transport_id"]] for one in self._legs_by_loan.get(loan["id"], {}).values()]
        ):
            if self._breaks_rule_10_t(one_transport):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(loan):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: approve the loan of {self.artworks[loan['artwork_id']]['title']} to "
                f"{self.exhibitions[loan['exhibition_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def turn_down_loan(self, loan_id: str) -> Result:
        """Refuse a requested loan, or withdraw an approved one before it travels; its place on a transport is given
        up.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] not in ("requested", "approved"):
            return _refused(f"The loan of {self.artworks[loan['artwork_id']]['title']} is {loan['status']}.")
        self._journal = []
        deleted_legs: list[Any] = []
        changed_loans: list[Any] = []
        for g in sorted(self._legs_by_loan.get(loan_id, {}).values(), key=_age):
            if g["id"] in self.legs:
                self._remove("legs", g)
            deleted_legs.append(g)
        if loan["status"] == "requested":
            if loan["status"] not in ("requested", "refused"):
                return self._take_back(f"Loan {loan['id']} cannot go from {loan['status']} to refused.")
            changed_loans.append(loan)
            self._put("loans", loan, "status", "refused")
        else:
            if loan["status"] not in ("approved", "withdrawn"):
                return self._take_back(f"Loan {loan['id']} cannot go from {loan['status']} to withdrawn.")
            changed_loans.append(loan)
            self._put("loans", loan, "status", "withdrawn")
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_1(one_loan):
                return self._take_back(RULES[0])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_transport in _distinct([self.transports[one["transport_id"]] for one in deleted_legs]):
            if self._breaks_rule_3(one_transport):
                return self._take_back(RULES[2])
        for one_leg in _distinct(
            [
                user
                for one in [self.transports[one["transport_id"]] for one in deleted_legs]
                for user in self._legs_by_transport.get(one["id"], {}).values()
            ]
        ):
            if one_leg["id"] in self.legs and self._breaks_rule_4(one_leg):
                return self._take_back(RULES[3])
        for one_leg in _distinct(
            [user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()]
        ):
            if one_leg["id"] in self.legs and self._breaks_rule_6_g_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(
            [user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()]
        ):
            if one_leg["id"] in self.legs and self._breaks_rule_6_g_again_again(one_leg):
                return self._take_back(RULES[5])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        for one_report in _distinct(
            [user for one in changed_loans for user in self._reports_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_r_again(one_report):
                return self._take_back(RULES[8])
        for one_transport in _distinct([self.transports[one["transport_id"]] for one in deleted_legs]):
            if self._breaks_rule_10_t(one_transport):
                return self._take_back(RULES[9])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_11(one_loan):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: turn down the loan of {self.artworks[loan['artwork_id']]['title']} to "
                f"{self.exhibitions[loan['exhibition_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def plan_transport(
        self,
        code: Text,
        host_id: str,
        direction: Literal["out", "home"],
        leaves_on: Date,
        limit: Annotated[int, {"minimum": 1000000, "maximum": 200000000}],
    ) -> Result:
        """Plan a transport to or from a host, with the sum that it is insured for.

        Args:
            code (str): Code of the new transport, not in use yet.
            host_id (str): Institution that shows the works; an id such as INSTITUTION-00001.
            direction (str): Whether it goes out to the host or brings works home: out or home.
            leaves_on (str): Day of departure, after today and within a year, as YYYY-MM-DD.
            limit (int): Sum up to which the transport is insured, in cents, from 1000000 to 200000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        host = self.institutions.get(host_id)
        if host is None:
            return _refused(f"There is no institution {host_id!r}.")
        if self._transports_by_code.get(code, {}):
            return _refused(f"There is a transport {code} already.")
        if self.now[:10] >= leaves_on or leaves_on > _plus_days(self.now[:10], 365):
            return _refused(f"A transport is planned for a day after {self.now[:10]}, within a year.")
        self._journal = []
        transport: Transport = {
            "id": self._new_id("transport", "TRANSPORT", self.transports),
            "code": code,
            "host_id": host_id,
            "direction": direction,
            "leaves_on": leaves_on,
            "limit": limit,
            "courier_id": None,
            "status": "planned",
        }
        self._add("transports", transport)
        if len(self._transports_by_code.get(transport["code"], {})) > 1:
            return self._take_back(f"There is already a transport with the code {transport['code']!r}.")
        if self._breaks_rule_3(transport):
            return self._take_back(RULES[2])
        if self._breaks_rule_10_t(transport):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t_again(transport):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: plan transport {code} for {leaves_on} (new: transport {transport['id']}).",
            "data": {"transport_id": transport["id"], **self._changes()},
        }

    def book_place(self, loan_id: str, transport_id: str) -> Result:
        """Put a loan on a transport of the right way, or move it there from another one that has not left.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            transport_id (str): Id of the transport, such as TRANSPORT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        transport = self.transports.get(transport_id)
        if transport is None:
            return _refused(f"There is no transport {transport_id!r}.")
        if transport["status"] != "planned":
            return _refused(f"Transport {transport['code']} is {transport['status']}.")
        if transport["host_id"] != self.exhibitions[loan["exhibition_id"]]["host_id"]:
            return _refused(
                f"Transport {transport['code']} runs between us and "
                f"{self.institutions[transport['host_id']]['name']}, not "
                f"{self.institutions[self.exhibitions[loan['exhibition_id']]['host_id']]['name']}."
            )
        if loan["status"] not in ("approved", "shown"):
            return _refused(f"The loan of {self.artworks[loan['artwork_id']]['title']} is {loan['status']}.")
        if (loan["status"] == "approved") != (transport["direction"] == "out"):
            return _refused(
                f"{self.artworks[loan['artwork_id']]['title']} is {loan['status']}, and {transport['code']} goes "
                f"{transport['direction']}."
            )
        if (
            transport["direction"] != "home"
            and _plus_days(transport["leaves_on"], 2) > self.exhibitions[loan["exhibition_id"]]["opens"]
        ):
            return _refused(
                f"{transport['code']} leaves on {transport['leaves_on']}, too late for the opening on "
                f"{self.exhibitions[loan['exhibition_id']]['opens']}."
            )
        if (
            transport["direction"] != "out"
            and transport["leaves_on"] <= self.exhibitions[loan["exhibition_id"]]["closes"]
        ):
            return _refused(
                f"{transport['code']} leaves on {transport['leaves_on']}, and "
                f"{self.exhibitions[loan['exhibition_id']]['title']} closes on "
                f"{self.exhibitions[loan['exhibition_id']]['closes']}."
            )
        old = self._leg_of(loan, transport["direction"])
        if old is not None and old["transport_id"] == transport_id:
            return _refused(f"{self.artworks[loan['artwork_id']]['title']} is on {transport['code']} already.")
        if loan["insured"] > self._left(transport):
            return _refused(
                f"{transport['code']} is insured for {_money(transport['limit'])} and has "
                f"{_money(self._left(transport))} left, and {self.artworks[loan['artwork_id']]['title']} takes "
                f"{_money(loan['insured'])}."
            )
        if self._same_maker(transport, self.artworks[loan["artwork_id"]]["maker"]) >= 2:
            return _refused(
                f"Two works by {self.artworks[loan['artwork_id']]['maker']} are on {transport['code']} already."
            )
        self._journal = []
        changed_legs: list[Any] = []
        former_transport_ids: list[Any] = []
        added_legs: list[Any] = []
        if old is not None:
            changed_legs.append(old)
            former_transport_ids.append(old["transport_id"])
            self._put("legs", old, "transport_id", transport_id)
        else:
            leg = {"id": self._new_id("leg", "LEG", self.legs), "loan_id": loan_id, "transport_id": transport_id}
            self._add("legs", leg)
            added_legs.append(leg)
        for one_transport in _distinct(
            [
                *[self.transports[one["transport_id"]] for one in changed_legs],
                *[self.transports.get(key) for key in former_transport_ids],
                *[self.transports[one["transport_id"]] for one in added_legs],
            ]
        ):
            if self._breaks_rule_3(one_transport):
                return self._take_back(RULES[2])
        for one_leg in _distinct(
            [
                *[
                    user
                    for one in [self.transports[one["transport_id"]] for one in changed_legs]
                    for user in self._legs_by_transport.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.transports.get(key) for key in former_transport_ids]
                    if one is not None
                    for user in self._legs_by_transport.get(one["id"], {}).values()
                ],
                *changed_legs,
                *added_legs,
                *[
                    user
                    for one in [self.transports[one["transport_id"]] for one in added_legs]
                    for user in self._legs_by_transport.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_leg):
                return self._take_back(RULES[3])
        for one_leg in _distinct([*changed_legs, *added_legs]):
            if self._breaks_rule_5(one_leg):
                return self._take_back(RULES[4])
        for one_leg in _distinct([*changed_legs, *added_legs]):
            if self._breaks_rule_6_g(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(added_legs):
            if self._breaks_rule_6_g_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct([*changed_legs, *added_legs]):
            if self._breaks_rule_6_g_again_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct([*changed_legs, *added_legs]):
            if self._breaks_rule_7(one_leg):
                return self._take_back(RULES[6])
        for one_transport in _distinct(
            [
                *[self.transports[one["transport_id"]] for one in changed_legs],
                *[self.transports.get(key) for key in former_transport_ids],
                *[self.transports[one["transport_id"]] for one in added_legs],
            ]
        ):
            if self._breaks_rule_10_t(one_transport):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: put {self.artworks[loan['artwork_id']]['title']} on {transport['code']}.",
            "data": self._changes(),
        }

    def name_courier(self, transport_id: str, courier_id: str) -> Result:
        """Name the courier of a planned transport.

        Args:
            transport_id (str): Id of the transport, such as TRANSPORT-00001.
            courier_id (str): Conservator who travels along, free on the day of departure; an id such as
                CONSERVATOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transport = self.transports.get(transport_id)
        if transport is None:
            return _refused(f"There is no transport {transport_id!r}.")
        courier = self.conservators.get(courier_id)
        if courier is None:
            return _refused(f"There is no conservator {courier_id!r}.")
        if transport["status"] != "planned":
            return _refused(f"Transport {transport['code']} is {transport['status']}.")
        if courier_id == transport["courier_id"]:
            return _refused(f"{courier['name']} is the courier of {transport['code']} already.")
        other = next(
            (
                t
                for t in sorted(self._transports_by_courier.get(courier_id, {}).values(), key=_age)
                if t["leaves_on"] == transport["leaves_on"]
            ),
            None,
        )
        if other is not None:
            return _refused(f"{courier['name']} accompanies {other['code']} on that day.")
        self._journal = []
        self._put("transports", transport, "courier_id", courier_id)
        if self._breaks_rule_10_t(transport):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t_again(transport):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: name {courier['name']} as courier of {transport['code']}.",
            "data": self._changes(),
        }

    def write_report(
        self,
        loan_id: str,
        author_id: str,
        grade: Annotated[int, {"minimum": 1, "maximum": 5}],
    ) -> Result:
        """Record the condition of a work, before it goes or after it came home; one that came back worse goes into
        conservation, and paper rests for 120 days.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            author_id (str): Conservator who examined the work, trained for its material; an id such as
                CONSERVATOR-00001.
            grade (int): Condition of the work, the higher the better, from 1 to 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        author = self.conservators.get(author_id)
        if author is None:
            return _refused(f"There is no conservator {author_id!r}.")
        if loan["status"] not in ("approved", "unpacked"):
            return _refused(
                f"The loan of {self.artworks[loan['artwork_id']]['title']} is {loan['status']}, so there is "
                "nothing to report."
            )
        if self.artworks[loan["artwork_id"]]["material"] not in author["materials"]:
            return _refused(
                f"{author['name']} does not examine works of {self.artworks[loan['artwork_id']]['material']}."
            )
        if loan["status"] != "unpacked" and self._report_of(loan, "before") is not None:
            return _refused(
                f"The condition of {self.artworks[loan['artwork_id']]['title']} before the loan is on record."
            )
        self._journal = []
        changed_artworks: list[Any] = []
        changed_loans: list[Any] = []
        known = self._report_of(loan, "before")
        report: Report = {
            "id": self._new_id("report", "REPORT", self.reports),
            "loan_id": loan_id,
            "stage": "after" if loan["status"] == "unpacked" else "before",
            "grade": grade,
            "author_id": author_id,
            "made_on": self.now[:10],
        }
        self._add("reports", report)
        if loan["status"] == "unpacked":
            if self.artworks[loan["artwork_id"]]["material"] == "paper":
                artwork = self.artworks[loan["artwork_id"]]
                self._put("artworks", artwork, "rest_until", _plus_days(self.now[:10], 120))
            if known is not None and grade < known["grade"]:
                its_artwork = self.artworks[loan["artwork_id"]]
                changed_artworks.append(its_artwork)
                self._put("artworks", its_artwork, "status", "conservation")
            else:
                its_artwork_2 = self.artworks[loan["artwork_id"]]
                changed_artworks.append(its_artwork_2)
                self._put("artworks", its_artwork_2, "status", "store")
            if loan["status"] not in ("unpacked", "closed"):
                return self._take_back(f"Loan {loan['id']} cannot go from {loan['status']} to closed.")
            changed_loans.append(loan)
            self._put("loans", loan, "status", "closed")
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_1(one_loan):
                return self._take_back(RULES[0])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_leg in _distinct(
            [user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_g_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(
            [user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_g_again_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(self._legs_by_loan.get(report["loan_id"], {}).values()):
            if self._breaks_rule_7(one_leg):
                return self._take_back(RULES[6])
        for one_loan in _distinct([self.loans[report["loan_id"]], *changed_loans]):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_r(report):
            return self._take_back(RULES[8])
        for one_report in _distinct(
            [report, *[user for one in changed_loans for user in self._reports_by_loan.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_9_r_again(one_report):
                return self._take_back(RULES[8])
        for one_loan in _distinct(
            [
                *[user for one in changed_artworks for user in self._loans_by_artwork.get(one["id"], {}).values()],
                *changed_loans,
            ]
        ):
            if self._breaks_rule_11(one_loan):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record grade {grade} for {self.artworks[loan['artwork_id']]['title']} by {author['name']} "
                f"(new: report {report['id']})."
            ),
            "data": {"report_id": report["id"], **self._changes()},
        }

    def dispatch_transport(self, transport_id: str) -> Result:
        """Let a transport leave on its day or later, once every work that goes out has its report and a courier is
        named where one is needed.

        Args:
            transport_id (str): Id of the transport, such as TRANSPORT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transport = self.transports.get(transport_id)
        if transport is None:
            return _refused(f"There is no transport {transport_id!r}.")
        if transport["status"] != "planned":
            return _refused(f"Transport {transport['code']} is {transport['status']}.")
        if transport["leaves_on"] > self.now[:10]:
            return _refused(f"{transport['code']} leaves on {transport['leaves_on']}.")
        if not any(g["transport_id"] == transport_id for g in self._legs_by_transport.get(transport_id, {}).values()):
            return _refused(f"Nothing is booked on {transport['code']}.")
        bare = next(
            (
                self.loans[g["loan_id"]]
                for g in sorted(self._legs_by_transport.get(transport_id, {}).values(), key=_age)
                if transport["direction"] == "out"
                and self._report_of(self.loans[g["loan_id"]], "before") is None
            ),
            None,
        )
        if bare is not None:
            return _refused(f"{self.artworks[bare['artwork_id']]['title']} has no condition report yet.")
        unchecked = next(
            (
                self.loans[g["loan_id"]]
                for g in sorted(self._legs_by_transport.get(transport_id, {}).values(), key=_age)
                if transport["direction"] == "out"
                and self.artworks[self.loans[g["loan_id"]]["artwork_id"]]["status"] != "store"
            ),
            None,
        )
        if unchecked is not None:
            return _refused(
                f"{self.artworks[unchecked['artwork_id']]['title']} is "
                f"{self.artworks[unchecked['artwork_id']]['status']}, so it has to be back in the store first."
            )
        if transport["courier_id"] is None and self._needs_courier(transport):
            return _refused(
                f"{transport['code']} carries {_money(self._transport_load(transport))} and is insured for "
                f"{_money(transport['limit'])}, so it needs a courier."
            )
        self._journal = []
        changed_artworks: list[Any] = []
        changed_loans: list[Any] = []
        for g in sorted(self._legs_by_transport.get(transport_id, {}).values(), key=_age):
            if transport["direction"] == "out":
                artwork = self.artworks[self.loans[g["loan_id"]]["artwork_id"]]
                if artwork["status"] not in ("store", "away"):
                    return self._take_back(f"Artwork {artwork['title']} cannot go from {artwork['status']} to away.")
                changed_artworks.append(artwork)
                self._put("artworks", artwork, "status", "away")
            loan = self.loans[g["loan_id"]]
            if loan["status"] not in ("approved", "travelling", "shown"):
                return self._take_back(f"Loan {loan['id']} cannot go from {loan['status']} to travelling.")
            changed_loans.append(loan)
            self._put("loans", loan, "status", "travelling")
        self._put("transports", transport, "status", "departed")
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_1(one_loan):
                return self._take_back(RULES[0])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_leg in _distinct(
            [user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_g_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(
            [
                *[user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()],
                *self._legs_by_transport.get(transport["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6_g_again_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(self._legs_by_transport.get(transport["id"], {}).values()):
            if self._breaks_rule_7(one_leg):
                return self._take_back(RULES[6])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        for one_report in _distinct(
            [user for one in changed_loans for user in self._reports_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_r_again(one_report):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_t(transport):
            return self._take_back(RULES[9])
        for one_loan in _distinct(
            [
                *[user for one in changed_artworks for user in self._loans_by_artwork.get(one["id"], {}).values()],
                *changed_loans,
            ]
        ):
            if self._breaks_rule_11(one_loan):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: dispatch {transport['code']}.", "data": self._changes()}

    def receive_transport(self, transport_id: str) -> Result:
        """Record that a transport has arrived; works that came home wait for their report.

        Args:
            transport_id (str): Id of the transport, such as TRANSPORT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transport = self.transports.get(transport_id)
        if transport is None:
            return _refused(f"There is no transport {transport_id!r}.")
        if transport["status"] != "departed":
            return _refused(f"Transport {transport['code']} is {transport['status']}.")
        self._journal = []
        changed_loans: list[Any] = []
        for g in sorted(self._legs_by_transport.get(transport_id, {}).values(), key=_age):
            if transport["direction"] == "out":
                loan = self.loans[g["loan_id"]]
                if loan["status"] not in ("travelling", "shown"):
                    return self._take_back(f"Loan {loan['id']} cannot go from {loan['status']} to shown.")
                changed_loans.append(loan)
                self._put("loans", loan, "status", "shown")
            else:
                its_loan = self.loans[g["loan_id"]]
                if its_loan["status"] not in ("travelling", "unpacked"):
                    return self._take_back(f"Loan {its_loan['id']} cannot go from {its_loan['status']} to unpacked.")
                changed_loans.append(its_loan)
                self._put("loans", its_loan, "status", "unpacked")
        self._put("transports", transport, "status", "arrived")
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_1(one_loan):
                return self._take_back(RULES[0])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_leg in _distinct(
            [user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_g_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(
            [
                *[user for one in changed_loans for user in self._legs_by_loan.get(one["id"], {}).values()],
                *self._legs_by_transport.get(transport["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6_g_again_again(one_leg):
                return self._take_back(RULES[5])
        for one_leg in _distinct(self._legs_by_transport.get(transport["id"], {}).values()):
            if self._breaks_rule_7(one_leg):
                return self._take_back(RULES[6])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_8(one_loan):
                return self._take_back(RULES[7])
        for one_report in _distinct(
            [user for one in changed_loans for user in self._reports_by_loan.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_r_again(one_report):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_t(transport):
            return self._take_back(RULES[9])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_11(one_loan):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: record the arrival of {transport['code']}.",
            "data": self._changes(),
        }

    def release_artwork(self, artwork_id: str) -> Result:
        """Take a work back into the store from conservation.

        Args:
            artwork_id (str): Id of the artwork, such as ARTWORK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        artwork = self.artworks.get(artwork_id)
        if artwork is None:
            return _refused(f"There is no artwork {artwork_id!r}.")
        if artwork["status"] != "conservation":
            return _refused(f"{artwork['title']} is not in conservation.")
        self._journal = []
        self._put("artworks", artwork, "status", "store")
        for one_loan in _distinct(self._loans_by_artwork.get(artwork["id"], {}).values()):
            if self._breaks_rule_11(one_loan):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: release {artwork['title']} from conservation.",
            "data": self._changes(),
        }

    def extend_exhibition(self, exhibition_id: str, closes: Date) -> Result:
        """Let an exhibition run longer, if all works lent to it can stay.

        Args:
            exhibition_id (str): Id of the exhibition, such as EXHIBITION-00001.
            closes (str): New last day, later than now by 120 days at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        exhibition = self.exhibitions.get(exhibition_id)
        if exhibition is None:
            return _refused(f"There is no exhibition {exhibition_id!r}.")
        if exhibition["closes"] < self.now[:10]:
            return _refused(f"{exhibition['title']} closed on {exhibition['closes']}.")
        if exhibition["closes"] >= closes or closes > _plus_days(exhibition["closes"], 120):
            return _refused(f"It closes on {exhibition['closes']} and can run up to 120 days longer.")
        if not (
            not any(self._committed(l) for l in self._loans_by_exhibition.get(exhibition_id, {}).values())
            or closes <= self.institutions[exhibition["host_id"]]["agreement_until"]
        ):
            return _refused(
                f"The agreement with {self.institutions[exhibition['host_id']]['name']} ends on "
                f"{self.institutions[exhibition['host_id']]['agreement_until']}."
            )
        bound = next(
            (
                l
                for l in sorted(self._loans_by_exhibition.get(exhibition_id, {}).values(), key=_age)
                if self._committed(l)
                and any(
                    _overlap(
                        self.exhibitions[o["exhibition_id"]]["opens"],
                        _plus_days(self.exhibitions[o["exhibition_id"]]["closes"], 28),
                        exhibition["opens"],
                        _plus_days(closes, 28),
                    )
                    for o in self._loans_by_artwork.get(l["artwork_id"], {}).values()
                    if o is not l
                    and self._committed(o)
                )
            ),
            None,
        )
        if bound is not None:
            return _refused(
                f"{self.artworks[bound['artwork_id']]['title']} is promised elsewhere too soon after that."
            )
        early = next(
            (
                g
                for g in sorted(
                    [
                        g
                        for _loan in self._loans_by_exhibition.get(exhibition_id, {}).values()
                        for g in self._legs_by_loan.get(_loan["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.transports[g["transport_id"]]["direction"] == "home"
                and self.transports[g["transport_id"]]["leaves_on"] <= closes
            ),
            None,
        )
        if early is not None:
            return _refused(
                f"{self.artworks[self.loans[early['loan_id']]['artwork_id']]['title']} is to travel home on "
                f"{self.transports[early['transport_id']]['leaves_on']}, so move it to a later transport first."
            )
        self._journal = []
        self._put("exhibitions", exhibition, "closes", closes)
        for one_loan in _distinct(self._loans_by_exhibition.get(exhibition["id"], {}).values()):
            if self._breaks_rule_1(one_loan):
                return self._take_back(RULES[0])
        for one_loan in _distinct(self._loans_by_exhibition.get(exhibition["id"], {}).values()):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_leg in _distinct(
            [
                user
                for one in self._loans_by_exhibition.get(exhibition["id"], {}).values()
                for user in self._legs_by_loan.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_leg):
                return self._take_back(RULES[4])
        if self._breaks_rule_12(exhibition):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: extend {exhibition['title']} until {closes}.",
            "data": self._changes(),
        }

    def _show_conservator(self, conservator: Conservator) -> dict[str, Any]:
        """The conservator as an answer shows it."""
        return {
            **conservator,
            "materials": [*conservator["materials"]],
            "trips": self._conservator_trips(conservator),
        }

    def _show_transport(self, transport: Transport) -> dict[str, Any]:
        """The transport as an answer shows it."""
        return {**transport, "load": self._transport_load(transport)}

    def _names_of_exhibitions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that exhibitions point to."""
        return _names((self.institutions, "name", [row["host_id"] for row in shown]))

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.artworks, "title", [row["artwork_id"] for row in shown]),
            (self.exhibitions, "title", [row["exhibition_id"] for row in shown]),
        )

    def _names_of_transports(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that transports point to."""
        return _names(
            (self.institutions, "name", [row["host_id"] for row in shown]),
            (self.conservators, "name", [row["courier_id"] for row in shown]),
        )

    def _names_of_legs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that legs point to."""
        return _names((self.transports, "code", [row["transport_id"] for row in shown]))

    def _names_of_reports(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reports point to."""
        return _names((self.conservators, "name", [row["author_id"] for row in shown]))

    def _conservator_trips(self, conservator: Conservator) -> int:
        """The trips of a conservator."""
        return len(self._transports_by_courier.get(conservator["id"], {}))

    def _transport_load(self, transport: Transport) -> int:
        """The load of a transport."""
        return sum(
            self.loans[g["loan_id"]]["insured"]
            for g in self._legs_by_transport.get(transport["id"], {}).values()
        )

    def _committed(self, l: Loan) -> bool:
        return l["status"] in ("approved", "travelling", "shown", "unpacked")

    def _report_of(self, l: Loan, stage: str) -> Report | None:
        return next(
            (r for r in sorted(self._reports_by_loan_stage.get((l["id"], stage), {}).values(), key=_age)),
            None,
        )

    def _leg_of(self, l: Loan, direction: str) -> Leg | None:
        return next(
            (
                g
                for g in sorted(self._legs_by_loan.get(l["id"], {}).values(), key=_age)
                if self.transports[g["transport_id"]]["direction"] == direction
            ),
            None,
        )

    def _left(self, t: Transport) -> int:
        return t["limit"] - self._transport_load(t)

    def _same_maker(self, t: Transport, m: str) -> int:
        return sum(
            1
            for g in self._legs_by_transport.get(t["id"], {}).values()
            if self.artworks[self.loans[g["loan_id"]]["artwork_id"]]["maker"] == m
        )

    def _needs_courier(self, t: Transport) -> bool:
        return self._transport_load(t) * 2 > t["limit"]

    def _promised(self, a: Artwork, opens: str, closes: str) -> Loan | None:
        return next(
            (
                l
                for l in sorted(self._loans_by_artwork.get(a["id"], {}).values(), key=_age)
                if self._committed(l)
                and _overlap(
                    self.exhibitions[l["exhibition_id"]]["opens"],
                    _plus_days(self.exhibitions[l["exhibition_id"]]["closes"], 28),
                    opens,
                    _plus_days(closes, 28),
                )
            ),
            None,
        )

    def _fits(self, a: Artwork, e: Exhibition) -> bool:
        return (
            a["climate"] <= self.institutions[e["host_id"]]["climate"]
            and e["closes"] <= self.institutions[e["host_id"]]["agreement_until"]
            and (a["rest_until"] is None or a["rest_until"] < e["opens"])
            and a["status"] != "conservation"
            and self._promised(a, e["opens"], e["closes"]) is None
        )

    def _right_way(self, l: Loan, t: Transport) -> bool:
        return (
            t["host_id"] == self.exhibitions[l["exhibition_id"]]["host_id"]
            and (
                l["status"] == "approved"
                and t["direction"] == "out"
                and _plus_days(t["leaves_on"], 2) <= self.exhibitions[l["exhibition_id"]]["opens"]
                or l["status"] == "shown"
                and t["direction"] == "home"
                and t["leaves_on"] > self.exhibitions[l["exhibition_id"]]["closes"]
            )
        )

    def _breaks_rule_1(self, a: Loan) -> bool:
        """Whether this is broken: a work is promised to one exhibition at a time, with four weeks between two of
        them.
        """
        return (
            self._committed(a)
            and any(
                _overlap(
                    self.exhibitions[a["exhibition_id"]]["opens"],
                    _plus_days(self.exhibitions[a["exhibition_id"]]["closes"], 28),
                    self.exhibitions[b["exhibition_id"]]["opens"],
                    _plus_days(self.exhibitions[b["exhibition_id"]]["closes"], 28),
                )
                for b in self._loans_by_artwork.get(a["artwork_id"], {}).values()
                if a is not b
                and self._committed(b)
            )
        )

    def _breaks_rule_2(self, l: Loan) -> bool:
        """Whether this is broken: a work goes only to hosts whose climate class is as high as its own and whose
        agreement covers the exhibition.
        """
        return (
            self._committed(l)
            and (
                self.artworks[l["artwork_id"]]["climate"] > self.institutions[
                    self.exhibitions[l["exhibition_id"]]["host_id"]
                ]["climate"]
                or self.exhibitions[l["exhibition_id"]]["closes"] > self.institutions[
                    self.exhibitions[l["exhibition_id"]]["host_id"]
                ]["agreement_until"]
            )
        )

    def _breaks_rule_3(self, t: Transport) -> bool:
        """Whether this is broken: a transport never carries more than it is insured for."""
        return self._transport_load(t) > t["limit"]

    def _breaks_rule_4(self, g: Leg) -> bool:
        """Whether this is broken: no more than two works by one maker travel together."""
        return self._same_maker(
            self.transports[g["transport_id"]],
            self.artworks[self.loans[g["loan_id"]]["artwork_id"]]["maker"],
        ) > 2

    def _breaks_rule_5(self, g: Leg) -> bool:
        """Whether this is broken: a work travels on a transport of its host, out in time for the opening and home
        after the last day.
        """
        return not (
            self.transports[g["transport_id"]]["host_id"] == self.exhibitions[
                self.loans[g["loan_id"]]["exhibition_id"]
            ]["host_id"]
            and (
                self.transports[g["transport_id"]]["direction"] == "home"
                or _plus_days(
                    self.transports[g["transport_id"]]["leaves_on"],
                    2,
                ) <= self.exhibitions[self.loans[g["loan_id"]]["exhibition_id"]]["opens"]
            )
            and (
                self.transports[g["transport_id"]]["direction"] == "out"
                or self.transports[g["transport_id"]]["leaves_on"] > self.exhibitions[
                    self.loans[g["loan_id"]]["exhibition_id"]
                ]["closes"]
            )
        )

    def _breaks_rule_6_g(self, g: Leg) -> bool:
        """Whether this is broken: a loan has one transport each way, and a transport that has not left holds only
        works that are ready for it.
        """
        return any(
            other_g is not g
            for other_g in self._legs_by_loan.get(g["loan_id"], {}).values()
            if self.transports[
                other_g["transport_id"]
            ]["direction"] == self.transports[g["transport_id"]]["direction"]
        )

    def _breaks_rule_6_g_again(self, g: Leg) -> bool:
        """Whether this is broken: a loan has one transport each way, and a transport that has not left holds only
        works that are ready for it.
        """
        return self.loans[g["loan_id"]]["status"] in ("requested", "refused", "withdrawn")

    def _breaks_rule_6_g_again_again(self, g: Leg) -> bool:
        """Whether this is broken: a loan has one transport each way, and a transport that has not left holds only
        works that are ready for it.
        """
        return (
            self.transports[g["transport_id"]]["status"] == "planned"
            and self.loans[g["loan_id"]]["status"] != (
                "approved"
                if self.transports[g["transport_id"]]["direction"] == "out"
                else "shown"
            )
        )

    def _breaks_rule_7(self, g: Leg) -> bool:
        """Whether this is broken: nothing leaves the house without a condition report."""
        return (
            self.transports[g["transport_id"]]["direction"] == "out"
            and self.transports[g["transport_id"]]["status"] != "planned"
            and not any(r["stage"] == "before" for r in self._reports_by_loan.get(g["loan_id"], {}).values())
        )

    def _breaks_rule_8(self, l: Loan) -> bool:
        """Whether this is broken: a loan is closed by a report made after it, and only closed loans have one."""
        return (l["status"] == "closed") != any(
            r["stage"] == "after"
            for r in self._reports_by_loan.get(l["id"], {}).values()
        )

    def _breaks_rule_9_r(self, r: Report) -> bool:
        """Whether this is broken: a condition report is made once per stage by somebody who knows the material, for
        loans that were approved.
        """
        return any(
            other_r is not r
            for other_r in self._reports_by_loan_stage.get((r["loan_id"], r["stage"]), {}).values()
        )

    def _breaks_rule_9_r_again(self, r: Report) -> bool:
        """Whether this is broken: a condition report is made once per stage by somebody who knows the material, for
        loans that were approved.
        """
        return (
            self.artworks[
                self.loans[r["loan_id"]]["artwork_id"]
            ]["material"] not in self.conservators[r["author_id"]]["materials"]
            or self.loans[r["loan_id"]]["status"] in ("requested", "refused")
        )

    def _breaks_rule_10_t(self, t: Transport) -> bool:
        """Whether this is broken: a transport that is more than half full by value leaves with a courier, and nobody
        accompanies two on a day.
        """
        return t["status"] != "planned" and (t["courier_id"] is None and self._needs_courier(t))

    def _breaks_rule_10_t_again(self, t: Transport) -> bool:
        """Whether this is broken: a transport that is more than half full by value leaves with a courier, and nobody
        accompanies two on a day.
        """
        return (
            t["courier_id"] is not None
            and any(
                other_t is not t
                for other_t in self._transports_by_courier.get(t["courier_id"], {}).values()
                if other_t["leaves_on"] == t["leaves_on"]
                and other_t["courier_id"] is not None
            )
        )

    def _breaks_rule_11(self, l: Loan) -> bool:
        """Whether this is broken: a work is away as long as its loan is on the road, shown or not yet checked."""
        return (
            l["status"] in ("travelling", "shown", "unpacked")
            and self.artworks[l["artwork_id"]]["status"] != "away"
        )

    def _breaks_rule_12(self, e: Exhibition) -> bool:
        """Whether this is broken: an exhibition ends after it opens."""
        return e["opens"] >= e["closes"]

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
            case "loans":
                self._loans_by_artwork.setdefault(record["artwork_id"], {})[record["id"]] = record
                self._loans_by_artwork_exhibition.setdefault(
                    (record["artwork_id"], record["exhibition_id"]),
                    {},
                )[record["id"]] = record
                self._loans_by_exhibition.setdefault(record["exhibition_id"], {})[record["id"]] = record
            case "transports":
                self._transports_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._transports_by_courier.setdefault(record["courier_id"], {})[record["id"]] = record
                self._transports_by_host.setdefault(record["host_id"], {})[record["id"]] = record
            case "legs":
                self._legs_by_loan.setdefault(record["loan_id"], {})[record["id"]] = record
                self._legs_by_transport.setdefault(record["transport_id"], {})[record["id"]] = record
            case "reports":
                self._reports_by_loan.setdefault(record["loan_id"], {})[record["id"]] = record
                self._reports_by_loan_stage.setdefault((record["loan_id"], record["stage"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "loans":
                del self._loans_by_artwork[record["artwork_id"]][record["id"]]
                del self._loans_by_artwork_exhibition[record["artwork_id"], record["exhibition_id"]][record["id"]]
                del self._loans_by_exhibition[record["exhibition_id"]][record["id"]]
            case "transports":
                del self._transports_by_code[record["code"]][record["id"]]
                del self._transports_by_courier[record["courier_id"]][record["id"]]
                del self._transports_by_host[record["host_id"]][record["id"]]
            case "legs":
                del self._legs_by_loan[record["loan_id"]][record["id"]]
                del self._legs_by_transport[record["transport_id"]][record["id"]]
            case "reports":
                del self._reports_by_loan[record["loan_id"]][record["id"]]
                del self._reports_by_loan_stage[record["loan_id"], record["stage"]][record["id"]]
