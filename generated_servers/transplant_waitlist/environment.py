"""Transplant waiting list. Compiled from blueprint.yaml; run `envscaler build transplant_waitlist` after changing it there.

Keeps the waiting list for organ transplants, ranks candidates by points for each donated organ, makes offers in
that order with deadlines, and records answers, suspensions and transplants.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "An organ is offered to one candidate at a time.",
    "No candidate is offered the same organ twice.",
    "Organs are offered only to candidates with whom they are compatible.",
    "Only active candidates have an offer that is open or accepted.",
    "A candidate accepts one organ at most.",
    "An organ counts as accepted or transplanted exactly when an offer of it was accepted.",
    "An offer must be answered while the organ is good.",
    "An offer that was declined says why, and no other does.",
    "A candidate is suspended with a reason, and nobody else has one.",
    "An organ goes to the candidate who accepted it, once, and while it is good.",
    "A centre does no more transplants a day than it has teams.",
    "A donor gives each organ once, and candidates wait at centres that transplant it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "list_candidate",
    "reassess_candidate",
    "suspend_candidate",
    "reactivate_candidate",
    "remove_candidate",
    "register_donor",
    "make_offer",
    "record_answer",
    "release_organ",
    "record_transplant",
    "discard_organ",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "centres": ("name",),
    "candidates": ("name",),
    "donors": ("number",),
    "organs": (),
    "offers": (),
    "transplants": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("candidates", "centre_id"),
    ("candidates", "name"),
    ("candidates", "status"),
    ("donors", "number"),
    ("offers", "candidate_id"),
    ("offers", "organ_id"),
    ("offers", "status"),
    ("organs", "donor_id"),
    ("organs", "kind"),
    ("transplants", "candidate_id"),
    ("transplants", "organ_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Centre(TypedDict):
    id: str
    name: str
    transplants: list[Literal["kidney", "liver", "heart"]]
    teams: int


class Candidate(TypedDict):
    id: str
    name: str
    born: str
    organ: Literal["kidney", "liver", "heart"]
    blood: Literal["O", "A", "B", "AB"]
    weight: int
    tissue: list[Literal["A1", "A2", "A3", "B7", "B8", "B35", "DR3", "DR4", "DR7"]]
    unacceptable: list[Literal["A1", "A2", "A3", "B7", "B8", "B35", "DR3", "DR4", "DR7"]]
    centre_id: str
    listed_on: str
    urgency: int
    suspended_for: str | None
    status: Literal["active", "suspended", "transplanted", "removed"]


class Donor(TypedDict):
    id: str
    number: str
    blood: Literal["O", "A", "B", "AB"]
    weight: int
    tissue: list[Literal["A1", "A2", "A3", "B7", "B8", "B35", "DR3", "DR4", "DR7"]]
    centre_id: str


class Organ(TypedDict):
    id: str
    donor_id: str
    kind: Literal["left_kidney", "right_kidney", "liver", "heart"]
    good_until: str
    status: Literal["free", "accepted", "discarded", "transplanted"]


class Offer(TypedDict):
    id: str
    organ_id: str
    candidate_id: str
    made_at: str
    answer_by: str
    points: int
    reason: Literal["too_ill", "organ_quality", "size", "logistics", "refused", "positive_crossmatch"] | None
    status: Literal["open", "accepted", "declined", "no_answer", "withdrawn"]


class Transplant(TypedDict):
    id: str
    organ_id: str
    candidate_id: str
    done_at: str


class RegisterDonorOrgan(TypedDict):
    kind: Literal["left_kidney", "right_kidney", "liver", "heart"]
    hours: Annotated[int, {"minimum": 2, "maximum": 36}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class TransplantWaitlist:
    """Keeps the waiting list for organ transplants, ranks candidates by points for each donated organ,
    makes offers in that order with deadlines, and records answers, suspensions and transplants.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.centres: dict[str, Centre] = _copied(config.get("centres", {}))
        self.candidates: dict[str, Candidate] = _copied(config.get("candidates", {}))
        self.donors: dict[str, Donor] = _copied(config.get("donors", {}))
        self.organs: dict[str, Organ] = _copied(config.get("organs", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.transplants: dict[str, Transplant] = _copied(config.get("transplants", {}))
        self.now: str = config.get("now", "2026-11-17T17:50")
        self.counters: dict[str, int] = {
            "centre": len(self.centres),
            "candidate": len(self.candidates),
            "donor": len(self.donors),
            "organ": len(self.organs),
            "offer": len(self.offers),
            "transplant": len(self.transplants),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._candidates_by_centre: dict[Any, dict[str, Candidate]] = {}
        self._candidates_by_centre_status: dict[Any, dict[str, Candidate]] = {}
        self._candidates_by_lower_name: dict[Any, dict[str, Candidate]] = {}
        self._candidates_by_name: dict[Any, dict[str, Candidate]] = {}
        self._donors_by_lower_number: dict[Any, dict[str, Donor]] = {}
        self._donors_by_number: dict[Any, dict[str, Donor]] = {}
        self._organs_by_donor_kind: dict[Any, dict[str, Organ]] = {}
        self._offers_by_candidate: dict[Any, dict[str, Offer]] = {}
        self._offers_by_candidate_status: dict[Any, dict[str, Offer]] = {}
        self._offers_by_organ: dict[Any, dict[str, Offer]] = {}
        self._offers_by_organ_candidate: dict[Any, dict[str, Offer]] = {}
        self._offers_by_organ_status: dict[Any, dict[str, Offer]] = {}
        self._offers_by_status: dict[Any, dict[str, Offer]] = {}
        self._transplants_by_candidate: dict[Any, dict[str, Transplant]] = {}
        self._transplants_by_organ: dict[Any, dict[str, Transplant]] = {}
        for candidate in self.candidates.values():
            self._link("candidates", candidate)
        for donor in self.donors.values():
            self._link("donors", donor)
        for organ in self.organs.values():
            self._link("organs", organ)
        for offer in self.offers.values():
            self._link("offers", offer)
        for transplant in self.transplants.values():
            self._link("transplants", transplant)

    def match_run(self, organ_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The candidates in line for an organ, highest points first.

        Args:
            organ_id (str): Id of the organ, such as ORGAN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "candidates": records}} or {"success": False, "error":
                why not}
        """
        organ = self.organs.get(organ_id)
        if organ is None:
            return _refused(f"There is no organ {organ_id!r}.")
        found = [c for c in self.candidates.values() if self._in_line(organ, c)]
        found.sort(key=lambda c: (-self._score(organ, c), c["listed_on"], c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "candidates": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "points": self._score(organ, c),
                        "centre": self.centres[c["centre_id"]]["name"],
                        "urgency": c["urgency"],
                        "listed_on": c["listed_on"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def offers_out(
        self,
        centre_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Offers that wait for an answer, those with the nearest deadline first.

        Args:
            centre_id (str, optional): Centre of the candidates; an id such as CENTRE-00001. If left out, offers to
                all centres are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}} or {"success": False, "error": why
                not}
        """
        centre = self.centres.get(centre_id) if centre_id is not None else None
        if centre_id is not None and centre is None:
            return _refused(f"There is no centre {centre_id!r}.")
        found = [
            f
            for f in self._offers_by_status.get("open", {}).values()
            if (centre_id is None or self.candidates[f["candidate_id"]]["centre_id"] == centre_id)
        ]
        found.sort(key=lambda f: (f["answer_by"], f["id"], _age(f)))
        return _found(
            {
                "total": len(found),
                "offers": [
                    {
                        "id": f["id"],
                        "donor": self.donors[self.organs[f["organ_id"]]["donor_id"]]["number"],
                        "kind": self.organs[f["organ_id"]]["kind"],
                        "candidate": self.candidates[f["candidate_id"]]["name"],
                        "answer_by": f["answer_by"],
                        "overdue": f["answer_by"] < self.now,
                        "organ_good_until": self.organs[f["organ_id"]]["good_until"],
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def free_organs(
        self,
        kind: Literal["left_kidney", "right_kidney", "liver", "heart"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Organs that are free and on offer to nobody, those that spoil first at the top.

        Args:
            kind (str, optional): Kind of organ: left_kidney, right_kidney, liver or heart. If left out, organs of
                all kinds are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "organs": records}} or {"success": False, "error": why
                not}
        """
        found = [
            g
            for g in self.organs.values()
            if (g["status"] == "free" and self._pending(g) is None)
            and (kind is None or g["kind"] == kind)
        ]
        found.sort(key=lambda g: (g["good_until"], self.donors[g["donor_id"]]["number"], g["kind"], _age(g)))
        return _found(
            {
                "total": len(found),
                "organs": [
                    {
                        "id": g["id"],
                        "donor": self.donors[g["donor_id"]]["number"],
                        "blood": self.donors[g["donor_id"]]["blood"],
                        "kind": g["kind"],
                        "good_until": g["good_until"],
                        "spoiled": g["good_until"] < self.now,
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def centre_day(self, centre_id: str) -> Result:
        """What a centre has accepted and done today, and who of its candidates is suspended.

        Args:
            centre_id (str): Id of the centre, such as CENTRE-00001.

        Returns:
            dict: {"success": True, "data": {teams, done_today, accepted, suspended}} or {"success": False,
                "error": why not}
        """
        centre = self.centres.get(centre_id)
        if centre is None:
            return _refused(f"There is no centre {centre_id!r}.")
        return _found(
            {
                "teams": centre["teams"],
                "done_today": self._done_on(centre, self.now[:10]),
                "accepted": sum(
                    1
                    for _candidate in self._candidates_by_centre.get(centre_id, {}).values()
                    for f in self._offers_by_candidate_status.get((_candidate["id"], "accepted"), {}).values()
                    if self.candidates[f["candidate_id"]]["status"] == "active"
                ),
                "suspended": [
                    *[
                        c["name"]
                        for c in sorted(
                            self._candidates_by_centre_status.get((centre_id, "suspended"), {}).values(),
                            key=_age,
                        )
                    ]
                ],
            }
        )

    def list_centres(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the centres, oldest first, all of them or only some.

        Args:
            name (str, optional): Only centres whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "centres": records}}
        """
        found = [
            centre
            for centre in self.centres.values()
            if (name is None or name.casefold() in centre["name"].casefold())
        ]
        return _found(
            {"total": len(found), "centres": [self._show_centre(centre) for centre in _page(found, offset)]}
        )

    def list_candidates(
        self,
        name: Text | None = None,
        organ: Literal["kidney", "liver", "heart"] | None = None,
        blood: Literal["O", "A", "B", "AB"] | None = None,
        centre_id: str | None = None,
        status: Literal["active", "suspended", "transplanted", "removed"] | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the candidates, oldest first, all of them or only some.

        Args:
            name (str, optional): Only candidates whose name contains this text.
            organ (str, optional): Only candidates with this organ.
            blood (str, optional): Only candidates with this blood.
            centre_id (str, optional): Only candidates of this centre.
            status (str, optional): Only candidates with this status.
            born_from (str, optional): Only candidates whose `born` is on this day or later.
            born_to (str, optional): Only candidates whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "candidates": records}}
        """
        if centre_id is not None and centre_id not in self.centres:
            return _refused(f"There is no centre {centre_id!r}.")
        found = [
            candidate
            for candidate in self.candidates.values()
            if (name is None or name.casefold() in candidate["name"].casefold())
            and (organ is None or candidate["organ"] == organ)
            and (blood is None or candidate["blood"] == blood)
            and (centre_id is None or candidate["centre_id"] == centre_id)
            and (status is None or candidate["status"] == status)
            and (born_from is None or candidate["born"] >= born_from)
            and (born_to is None or candidate["born"] <= born_to)
        ]
        shown = [self._show_candidate(candidate) for candidate in _page(found, offset)]
        return _found({"total": len(found), "candidates": shown}, self._names_of_candidates(shown))

    def list_donors(
        self,
        number: Text | None = None,
        blood: Literal["O", "A", "B", "AB"] | None = None,
        centre_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the donors, oldest first, all of them or only some.

        Args:
            number (str, optional): Only donors whose number contains this text.
            blood (str, optional): Only donors with this blood.
            centre_id (str, optional): Only donors of this centre.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "donors": records}}
        """
        if centre_id is not None and centre_id not in self.centres:
            return _refused(f"There is no centre {centre_id!r}.")
        found = [
            donor
            for donor in self.donors.values()
            if (number is None or number.casefold() in donor["number"].casefold())
            and (blood is None or donor["blood"] == blood)
            and (centre_id is None or donor["centre_id"] == centre_id)
        ]
        shown = [self._show_donor(donor) for donor in _page(found, offset)]
        return _found({"total": len(found), "donors": shown}, self._names_of_donors(shown))

    def list_organs(
        self,
        donor_id: str | None = None,
        kind: Literal["left_kidney", "right_kidney", "liver", "heart"] | None = None,
        status: Literal["free", "accepted", "discarded", "transplanted"] | None = None,
        good_until_from: Date | None = None,
        good_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the organs, oldest first, all of them or only some.

        Args:
            donor_id (str, optional): Only organs of this donor.
            kind (str, optional): Only organs with this kind.
            status (str, optional): Only organs with this status.
            good_until_from (str, optional): Only organs whose `good_until` is on this day or later.
            good_until_to (str, optional): Only organs whose `good_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "organs": records}}
        """
        if donor_id is not None and donor_id not in self.donors:
            return _refused(f"There is no donor {donor_id!r}.")
        found = [
            organ
            for organ in self.organs.values()
            if (donor_id is None or organ["donor_id"] == donor_id)
            and (kind is None or organ["kind"] == kind)
            and (status is None or organ["status"] == status)
            and (good_until_from is None or organ["good_until"][:10] >= good_until_from)
            and (good_until_to is None or organ["good_until"][:10] <= good_until_to)
        ]
        shown = [{**organ} for organ in _page(found, offset)]
        return _found({"total": len(found), "organs": shown}, self._names_of_organs(shown))

    def list_offers(
        self,
        organ_id: str | None = None,
        candidate_id: str | None = None,
        reason: Literal[
            "too_ill",
            "organ_quality",
            "size",
            "logistics",
            "refused",
            "positive_crossmatch",
        ] | None = None,
        status: Literal["open", "accepted", "declined", "no_answer", "withdrawn"] | None = None,
        made_at_from: Date | None = None,
        made_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            organ_id (str, optional): Only offers of this organ.
            candidate_id (str, optional): Only offers of this candidate.
            reason (str, optional): Only offers with this reason.
            status (str, optional): Only offers with this status.
            made_at_from (str, optional): Only offers whose `made_at` is on this day or later.
            made_at_to (str, optional): Only offers whose `made_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if organ_id is not None and organ_id not in self.organs:
            return _refused(f"There is no organ {organ_id!r}.")
        if candidate_id is not None and candidate_id not in self.candidates:
            return _refused(f"There is no candidate {candidate_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (organ_id is None or offer["organ_id"] == organ_id)
            and (candidate_id is None or offer["candidate_id"] == candidate_id)
            and (reason is None or offer["reason"] == reason)
            and (status is None or offer["status"] == status)
            and (made_at_from is None or offer["made_at"][:10] >= made_at_from)
            and (made_at_to is None or offer["made_at"][:10] <= made_at_to)
        ]
        shown = [{**offer} for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def list_transplants(
        self,
        organ_id: str | None = None,
        candidate_id: str | None = None,
        done_at_from: Date | None = None,
        done_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the transplants, oldest first, all of them or only some.

        Args:
            organ_id (str, optional): Only transplants of this organ.
            candidate_id (str, optional): Only transplants of this candidate.
            done_at_from (str, optional): Only transplants whose `done_at` is on this day or later.
            done_at_to (str, optional): Only transplants whose `done_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "transplants": records}}
        """
        if organ_id is not None and organ_id not in self.organs:
            return _refused(f"There is no organ {organ_id!r}.")
        if candidate_id is not None and candidate_id not in self.candidates:
            return _refused(f"There is no candidate {candidate_id!r}.")
        found = [
            transplant
            for transplant in self.transplants.values()
            if (organ_id is None or transplant["organ_id"] == organ_id)
            and (candidate_id is None or transplant["candidate_id"] == candidate_id)
            and (done_at_from is None or transplant["done_at"][:10] >= done_at_from)
            and (done_at_to is None or transplant["done_at"][:10] <= done_at_to)
        ]
        shown = [{**transplant} for transplant in _page(found, offset)]
        return _found({"total": len(found), "transplants": shown}, self._names_of_transplants(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def list_candidate(
        self,
        name: Text,
        born: Date,
        organ: Literal["kidney", "liver", "heart"],
        blood: Literal["O", "A", "B", "AB"],
        weight: Annotated[int, {"minimum": 3, "maximum": 180}],
        centre_id: str,
        tissue: Annotated[list[Literal["A1", "A2", "A3", "B7", "B8", "B35", "DR3", "DR4", "DR7"]], {"maxItems": 20}],
        urgency: Annotated[int, {"minimum": 0, "maximum": 3}] = 0,
        unacceptable: Annotated[
            list[Literal["A1", "A2", "A3", "B7", "B8", "B35", "DR3", "DR4", "DR7"]],
            {"maxItems": 20},
        ] | None = None,
    ) -> Result:
        """Put a person on the waiting list.

        Args:
            name (str): Full name of the person, not on the list yet.
            born (str): Date of birth of the person, as YYYY-MM-DD.
            organ (str): Organ that the person needs, one that the centre transplants: kidney, liver or heart.
            blood (str): Blood group of the person: O, A, B or AB.
            weight (int): Body weight of the person in kilograms, from 3 to 180.
            centre_id (str): Id of the centre, such as CENTRE-00001.
            tissue (list): Tissue types that the person has, each once: A1, A2, A3, B7, B8, B35, DR3, DR4 or DR7.
            urgency (int): Medical urgency, where the highest number is the most urgent, from 0 to 3. Default: 0.
            unacceptable (list): Tissue types that a donor must not have: A1, A2, A3, B7, B8, B35, DR3, DR4 or DR7.
                If left out, a donor may have any tissue type.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        centre = self.centres.get(centre_id)
        if centre is None:
            return _refused(f"There is no centre {centre_id!r}.")
        unacceptable = unacceptable or []
        if organ not in centre["transplants"]:
            return _refused(f"{centre['name']} does no {organ} transplants.")
        if born > self.now[:10]:
            return _refused(f"Nobody is born on {born}, after today.")
        if not (_different([t for t in tissue]) and _different([t for t in unacceptable])):
            return _refused("Name each tissue type once.")
        if any(t in unacceptable for t in tissue):
            return _refused("A candidate's own tissue types cannot be unacceptable.")
        if self._candidates_by_lower_name.get(name.lower(), {}):
            return _refused(f"{name} is on the list already.")
        self._journal = []
        candidate: Candidate = {
            "id": self._new_id("candidate", "CANDIDATE", self.candidates),
            "name": name,
            "born": born,
            "organ": organ,
            "blood": blood,
            "weight": weight,
            "tissue": [*tissue],
            "unacceptable": [*unacceptable],
            "centre_id": centre_id,
            "listed_on": self.now[:10],
            "urgency": urgency,
            "suspended_for": None,
            "status": "active",
        }
        self._add("candidates", candidate)
        if len(self._candidates_by_name.get(candidate["name"], {})) > 1:
            return self._take_back(f"There is already a candidate with the name {candidate['name']!r}.")
        if self._breaks_rule_9(candidate):
            return self._take_back(RULES[8])
        if self._breaks_rule_12_c(candidate):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: list {name} for {organ} at {centre['name']} (new: candidate {candidate['id']}).",
            "data": {"candidate_id": candidate["id"], **self._changes()},
        }

    def reassess_candidate(
        self,
        candidate_id: str,
        urgency: Annotated[int, {"minimum": 0, "maximum": 3}] | None = None,
        weight: Annotated[int, {"minimum": 3, "maximum": 180}] | None = None,
    ) -> Result:
        """Record a new urgency or weight of a candidate to whom nothing is on offer.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            urgency (int, optional): New medical urgency, where the highest number is the most urgent, from 0 to 3.
                If left out, the urgency stays as it is.
            weight (int, optional): New body weight in kilograms, from 3 to 180. If left out, the weight stays as
                it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if urgency is None and weight is None:
            return _refused("Say what has changed, the urgency or the weight.")
        if candidate["status"] not in ("active", "suspended"):
            return _refused(f"{candidate['name']} is {candidate['status']}.")
        offer = next(
            (
                f
                for f in sorted(self._offers_by_candidate.get(candidate_id, {}).values(), key=_age)
                if f["status"] in ("open", "accepted")
            ),
            None,
        )
        if offer is not None:
            return _refused(
                f"A {self.organs[offer['organ_id']]['kind']} is on offer to {candidate['name']} until "
                f"{offer['answer_by']}, so get the answer first."
            )
        self._journal = []
        new_urgency = urgency if urgency is not None else candidate["urgency"]
        if not 0 <= new_urgency <= 3:
            return self._take_back(f"The urgency of {candidate['name']} must be between 0 and 3.")
        self._put("candidates", candidate, "urgency", new_urgency)
        if urgency == 0:
            self._put("candidates", candidate, "urgency", 0)
        new_weight = weight if weight is not None else candidate["weight"]
        if not 3 <= new_weight <= 180:
            return self._take_back(f"The weight of {candidate['name']} must be between 3 and 180.")
        self._put("candidates", candidate, "weight", new_weight)
        for one_offer in _distinct(self._offers_by_candidate.get(candidate["id"], {}).values()):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        done = f"reassess {candidate['name']}"
        if urgency is not None:
            done += f" with urgency {urgency}"
        if weight is not None:
            done += f" with {weight} kg"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def suspend_candidate(self, candidate_id: str, reason: Text) -> Result:
        """Suspend a candidate for a time; whatever is on offer to them is withdrawn.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            reason (str): Why the candidate cannot get an organ for now.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if candidate["status"] != "active":
            return _refused(f"{candidate['name']} is {candidate['status']}.")
        if self._tied_up(candidate):
            return _refused(f"{candidate['name']} has accepted an organ, so release that first.")
        self._journal = []
        changed_offers: list[Any] = []
        for f in sorted(self._offers_by_candidate_status.get((candidate_id, "open"), {}).values(), key=_age):
            if f["status"] not in ("open", "accepted", "withdrawn"):
                return self._take_back(f"Offer {f['id']} cannot go from {f['status']} to withdrawn.")
            changed_offers.append(f)
            self._put("offers", f, "status", "withdrawn")
        self._put("candidates", candidate, "suspended_for", reason)
        self._put("candidates", candidate, "status", "suspended")
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_candidate_status.get((candidate["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_4_f(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_candidate_status.get((candidate["id"], "accepted"), {}).values()]
        ):
            if self._breaks_rule_4_f_again(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_organ in _distinct([self.organs[one["organ_id"]] for one in changed_offers]):
            if self._breaks_rule_6(one_organ):
                return self._take_back(RULES[5])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_8(one_offer):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(candidate):
            return self._take_back(RULES[8])
        for one_transplant in _distinct(
            [
                user
                for one in [self.organs[one["organ_id"]] for one in changed_offers]
                for user in self._transplants_by_organ.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10_t_again_again(one_transplant):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_c(candidate):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: suspend {candidate['name']} for {reason}.",
            "data": self._changes(),
        }

    def reactivate_candidate(self, candidate_id: str) -> Result:
        """Make a suspended candidate active again.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if candidate["status"] != "suspended":
            return _refused(f"{candidate['name']} is {candidate['status']}.")
        self._journal = []
        self._put("candidates", candidate, "suspended_for", None)
        self._put("candidates", candidate, "status", "active")
        for one_offer in _distinct(self._offers_by_candidate_status.get((candidate["id"], "open"), {}).values()):
            if self._breaks_rule_4_f(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(self._offers_by_candidate_status.get((candidate["id"], "accepted"), {}).values()):
            if self._breaks_rule_4_f_again(one_offer):
                return self._take_back(RULES[3])
        if self._breaks_rule_9(candidate):
            return self._take_back(RULES[8])
        if self._breaks_rule_12_c(candidate):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: reactivate {candidate['name']}.", "data": self._changes()}

    def remove_candidate(self, candidate_id: str) -> Result:
        """Take a candidate off the list for good.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if candidate["status"] not in ("active", "suspended"):
            return _refused(f"{candidate['name']} is {candidate['status']}.")
        if self._tied_up(candidate):
            return _refused(f"{candidate['name']} has accepted an organ, so release that first.")
        self._journal = []
        changed_offers: list[Any] = []
        for f in sorted(self._offers_by_candidate_status.get((candidate_id, "open"), {}).values(), key=_age):
            if f["status"] not in ("open", "accepted", "withdrawn"):
                return self._take_back(f"Offer {f['id']} cannot go from {f['status']} to withdrawn.")
            changed_offers.append(f)
            self._put("offers", f, "status", "withdrawn")
        self._put("candidates", candidate, "suspended_for", None)
        self._put("candidates", candidate, "status", "removed")
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_candidate_status.get((candidate["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_4_f(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_candidate_status.get((candidate["id"], "accepted"), {}).values()]
        ):
            if self._breaks_rule_4_f_again(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_organ in _distinct([self.organs[one["organ_id"]] for one in changed_offers]):
            if self._breaks_rule_6(one_organ):
                return self._take_back(RULES[5])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_8(one_offer):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(candidate):
            return self._take_back(RULES[8])
        for one_transplant in _distinct(
            [
                user
                for one in [self.organs[one["organ_id"]] for one in changed_offers]
                for user in self._transplants_by_organ.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10_t_again_again(one_transplant):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_c(candidate):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: remove {candidate['name']} from the list.",
            "data": self._changes(),
        }

    def register_donor(
        self,
        number: Text,
        blood: Literal["O", "A", "B", "AB"],
        weight: Annotated[int, {"minimum": 3, "maximum": 180}],
        centre_id: str,
        tissue: Annotated[list[Literal["A1", "A2", "A3", "B7", "B8", "B35", "DR3", "DR4", "DR7"]], {"maxItems": 20}],
        organs: Annotated[list[RegisterDonorOrgan], {"maxItems": 20}],
    ) -> Result:
        """Register a donor with the organs and the hours for which each stays good.

        Args:
            number (str): New number of the donor, not used before.
            blood (str): Blood group of the donor: O, A, B or AB.
            weight (int): Body weight of the donor in kilograms, from 3 to 180.
            centre_id (str): Id of the centre, such as CENTRE-00001.
            tissue (list): Tissue types that the donor has, each once: A1, A2, A3, B7, B8, B35, DR3, DR4 or DR7.
            organs (list): One entry for each organ that is donated: kind: organ that is donated, each kind once:
                left_kidney, right_kidney, liver or heart; hours: hours from now that it stays good, fewer for a
                liver or heart, from 2 to 36.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        centre = self.centres.get(centre_id)
        if centre is None:
            return _refused(f"There is no centre {centre_id!r}.")
        if not (len(organs) > 0 and _different([o["kind"] for o in organs])):
            return _refused("Name at least one organ, and each once.")
        stale = next((o for o in organs if o["hours"] > self._most_hours(o["kind"])), None)
        if stale is not None:
            return _refused(
                f"A {stale['kind']} keeps for {self._most_hours(stale['kind'])} hours at most, not for "
                f"{stale['hours']}."
            )
        if not _different([t for t in tissue]):
            return _refused("Name each tissue type once.")
        if self._donors_by_lower_number.get(number.lower(), {}):
            return _refused(f"Donor {number} is registered already.")
        self._journal = []
        added_organs: list[Any] = []
        giver: Donor = {
            "id": self._new_id("donor", "DONOR", self.donors),
            "number": number,
            "blood": blood,
            "weight": weight,
            "tissue": [*tissue],
            "centre_id": centre_id,
        }
        self._add("donors", giver)
        for o in sorted(organs, key=lambda o: (o["kind"],)):
            organ = {
                "id": self._new_id("organ", "ORGAN", self.organs),
                "donor_id": giver["id"],
                "kind": o["kind"],
                "good_until": _plus_minutes(self.now, o["hours"] * 60),
                "status": "free",
            }
            self._add("organs", organ)
            added_organs.append(organ)
        if len(self._donors_by_number.get(giver["number"], {})) > 1:
            return self._take_back(f"There is already a donor with the number {giver['number']!r}.")
        for one_organ in _distinct(added_organs):
            if self._breaks_rule_6(one_organ):
                return self._take_back(RULES[5])
        for one_organ in _distinct(added_organs):
            if self._breaks_rule_12_g(one_organ):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: register donor {number} with {len(organs)} organs (new: donor {giver['id']}).",
            "data": {"donor_id": giver["id"], **self._changes()},
        }

    def make_offer(
        self,
        organ_id: str,
        candidate_id: str,
        minutes: Annotated[int, {"minimum": 15, "maximum": 600}] = 60,
    ) -> Result:
        """Offer a free organ to the candidate who comes first for it, with a deadline in minutes.

        Args:
            organ_id (str): Id of the organ, such as ORGAN-00001.
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            minutes (int): Time to answer in minutes, over before the organ spoils, from 15 to 600. Default: 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organ = self.organs.get(organ_id)
        if organ is None:
            return _refused(f"There is no organ {organ_id!r}.")
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if organ["status"] != "free":
            return _refused(
                f"The {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} is {organ['status']}."
            )
        other = self._pending(organ)
        if other is not None:
            return _refused(
                f"It is on offer to {self.candidates[other['candidate_id']]['name']} until {other['answer_by']}."
            )
        if _plus_minutes(self.now, minutes) > organ["good_until"]:
            return _refused(f"The {organ['kind']} is good until {organ['good_until']} only.")
        if candidate["status"] != "active":
            return _refused(f"{candidate['name']} is {candidate['status']}.")
        if not self._compatible(organ, candidate):
            return _refused(
                f"The {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} is not compatible with "
                f"{candidate['name']}."
            )
        if not self._in_line(organ, candidate):
            return _refused(
                f"{candidate['name']} has been offered this {organ['kind']} before or has accepted another organ."
            )
        ahead = self._next_for(organ)
        if ahead is not None and ahead is not candidate:
            return _refused(
                f"{ahead['name']} comes first with {self._score(organ, ahead)} points, and {candidate['name']} "
                f"has {self._score(organ, candidate)}."
            )
        self._journal = []
        points = self._score(organ, candidate)
        if not 0 <= points <= 900:
            return self._take_back("The points of an offer must be between 0 and 900.")
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "organ_id": organ_id,
            "candidate_id": candidate_id,
            "made_at": self.now,
            "answer_by": _plus_minutes(self.now, minutes),
            "points": points,
            "reason": None,
            "status": "open",
        }
        self._add("offers", offer)
        if self._breaks_rule_1(offer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(offer):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_f(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_f_again(offer):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(offer):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.organs[offer["organ_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(offer):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(offer):
            return self._take_back(RULES[7])
        for one_transplant in _distinct(self._transplants_by_organ.get(offer["organ_id"], {}).values()):
            if self._breaks_rule_10_t_again_again(one_transplant):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: offer the {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} to "
                f"{candidate['name']} for {minutes} minutes (new: offer {offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def record_answer(
        self,
        offer_id: str,
        answer: Literal["accepted", "declined", "no_answer"],
        reason: Literal["too_ill", "organ_quality", "size", "logistics", "refused"] | None = None,
    ) -> Result:
        """Record how an offer was answered; after the deadline only that there was no answer.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            answer (str): How the centre answered the offer: accepted, declined or no_answer.
            reason (str, optional): Why the organ was declined, only given for that answer: too_ill, organ_quality,
                size, logistics or refused. If left out, no reason is kept; a declined offer needs one.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer to {self.candidates[offer['candidate_id']]['name']} is {offer['status']}.")
        if answer != "no_answer" and offer["answer_by"] < self.now:
            return _refused(
                f"The deadline for {self.candidates[offer['candidate_id']]['name']} was {offer['answer_by']}, so "
                "it counts as no answer."
            )
        if answer == "no_answer" and offer["answer_by"] >= self.now:
            return _refused(
                f"{self.candidates[offer['candidate_id']]['name']} has until {offer['answer_by']} to answer."
            )
        if (answer == "declined") != (reason is not None):
            return _refused("A reason is given when an offer is declined, and only then.")
        if answer == "accepted" and self._tied_up(self.candidates[offer["candidate_id"]]):
            return _refused(f"{self.candidates[offer['candidate_id']]['name']} has accepted another organ.")
        self._journal = []
        changed_offers: list[Any] = []
        changed_organs: list[Any] = []
        changed_offers_2: list[Any] = []
        if answer == "accepted":
            changed_offers.append(offer)
            self._put("offers", offer, "status", "accepted")
            organ = self.organs[offer["organ_id"]]
            if organ["status"] not in ("free", "accepted"):
                return self._take_back(f"Organ {organ['id']} cannot go from {organ['status']} to accepted.")
            changed_organs.append(organ)
            self._put("organs", organ, "status", "accepted")
        else:
            if answer == "declined":
                changed_offers_2.append(offer)
                self._put("offers", offer, "reason", reason)
                if offer["status"] not in ("open", "accepted", "declined"):
                    return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to declined.")
                changed_offers.append(offer)
                self._put("offers", offer, "status", "declined")
            else:
                if offer["status"] not in ("open", "no_answer"):
                    return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to no_answer.")
                changed_offers.append(offer)
                self._put("offers", offer, "status", "no_answer")
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_4_f(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_4_f_again(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_organ in _distinct([*[self.organs[one["organ_id"]] for one in changed_offers], *changed_organs]):
            if self._breaks_rule_6(one_organ):
                return self._take_back(RULES[5])
        for one_offer in _distinct([*changed_offers, *changed_offers_2]):
            if self._breaks_rule_8(one_offer):
                return self._take_back(RULES[7])
        for one_transplant in _distinct(
            [
                user
                for one in [self.organs[one["organ_id"]] for one in changed_offers]
                for user in self._transplants_by_organ.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10_t_again_again(one_transplant):
                return self._take_back(RULES[9])
        done = f"record {answer} for the offer to {self.candidates[offer['candidate_id']]['name']}"
        if reason is not None:
            done += f" because of {reason}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def release_organ(
        self,
        organ_id: str,
        reason: Literal["too_ill", "organ_quality", "logistics", "positive_crossmatch"],
    ) -> Result:
        """Set an accepted organ free again because it cannot go to the candidate who accepted it.

        Args:
            organ_id (str): Id of the organ, such as ORGAN-00001.
            reason (str): Why the organ cannot go to that candidate: too_ill, organ_quality, logistics or
                positive_crossmatch.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organ = self.organs.get(organ_id)
        if organ is None:
            return _refused(f"There is no organ {organ_id!r}.")
        if organ["status"] != "accepted":
            return _refused(
                f"The {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} is {organ['status']}."
            )
        self._journal = []
        changed_offers: list[Any] = []
        changed_offers_2: list[Any] = []
        for f in sorted(self._offers_by_organ_status.get((organ_id, "accepted"), {}).values(), key=_age):
            changed_offers.append(f)
            self._put("offers", f, "reason", reason)
            if f["status"] not in ("open", "accepted", "declined"):
                return self._take_back(f"Offer {f['id']} cannot go from {f['status']} to declined.")
            changed_offers_2.append(f)
            self._put("offers", f, "status", "declined")
        self._put("organs", organ, "status", "free")
        for one_offer in _distinct(changed_offers_2):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers_2):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        for one_offer in _distinct(changed_offers_2):
            if self._breaks_rule_4_f(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers_2):
            if self._breaks_rule_4_f_again(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers_2):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_organ in _distinct([organ, *[self.organs[one["organ_id"]] for one in changed_offers_2]]):
            if self._breaks_rule_6(one_organ):
                return self._take_back(RULES[5])
        for one_offer in _distinct([*changed_offers, *changed_offers_2]):
            if self._breaks_rule_8(one_offer):
                return self._take_back(RULES[7])
        for one_transplant in _distinct(
            [
                user
                for one in [self.organs[one["organ_id"]] for one in changed_offers_2]
                for user in self._transplants_by_organ.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10_t_again_again(one_transplant):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: release the {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} because "
                f"of {reason}."
            ),
            "data": self._changes(),
        }

    def record_transplant(self, organ_id: str, ended: DateTime | None = None) -> Result:
        """Record that an accepted organ was transplanted; other offers to the candidate are withdrawn.

        Args:
            organ_id (str): Id of the organ, such as ORGAN-00001.
            ended (str, optional): When the operation ended, after the offer was made, as YYYY-MM-DDTHH:MM. If left
                out, it ended just now.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organ = self.organs.get(organ_id)
        if organ is None:
            return _refused(f"There is no organ {organ_id!r}.")
        taken = next(
            (f for f in sorted(self._offers_by_organ_status.get((organ_id, "accepted"), {}).values(), key=_age)),
            None,
        )
        if organ["status"] != "accepted" or taken is None:
            return _refused(
                f"The {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} is {organ['status']}."
            )
        at = ended if ended is not None else self.now
        if taken["made_at"] > at or at > self.now:
            return _refused(
                f"The {organ['kind']} was offered at {taken['made_at']}, so the operation ended later than that, "
                f"and not after {self.now}."
            )
        if at > organ["good_until"]:
            return _refused(f"It was good until {organ['good_until']} only, so it has to be released.")
        if self._done_on(
            self.centres[self.candidates[taken["candidate_id"]]["centre_id"]],
            at[:10],
        ) >= self.centres[self.candidates[taken["candidate_id"]]["centre_id"]]["teams"]:
            return _refused(
                f"All {self.centres[self.candidates[taken['candidate_id']]['centre_id']]['teams']} teams of "
                f"{self.centres[self.candidates[taken['candidate_id']]['centre_id']]['name']} have operated on "
                f"{at[:10]}."
            )
        self._journal = []
        changed_offers: list[Any] = []
        transplant: Transplant = {
            "id": self._new_id("transplant", "TRANSPLANT", self.transplants),
            "organ_id": organ_id,
            "candidate_id": taken["candidate_id"],
            "done_at": at,
        }
        self._add("transplants", transplant)
        for f in sorted(self._offers_by_candidate_status.get((taken["candidate_id"], "open"), {}).values(), key=_age):
            if f["status"] not in ("open", "accepted", "withdrawn"):
                return self._take_back(f"Offer {f['id']} cannot go from {f['status']} to withdrawn.")
            changed_offers.append(f)
            self._put("offers", f, "status", "withdrawn")
        self._put("organs", organ, "status", "transplanted")
        candidate = self.candidates[taken["candidate_id"]]
        if candidate["status"] not in ("active", "transplanted"):
            return self._take_back(
                f"Candidate {candidate['name']} cannot go from {candidate['status']} to transplanted."
            )
        self._put("candidates", candidate, "status", "transplanted")
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_1(one_offer):
                return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_3(one_offer):
                return self._take_back(RULES[2])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_candidate_status.get((candidate["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_4_f(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(
            [*changed_offers, *self._offers_by_candidate_status.get((candidate["id"], "accepted"), {}).values()]
        ):
            if self._breaks_rule_4_f_again(one_offer):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_5(one_offer):
                return self._take_back(RULES[4])
        for one_organ in _distinct([organ, *[self.organs[one["organ_id"]] for one in changed_offers]]):
            if self._breaks_rule_6(one_organ):
                return self._take_back(RULES[5])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_8(one_offer):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(candidate):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_t(transplant):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t_again(transplant):
            return self._take_back(RULES[9])
        for one_transplant in _distinct(
            [
                transplant,
                *[
                    user
                    for one in [self.organs[one["organ_id"]] for one in changed_offers]
                    for user in self._transplants_by_organ.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_t_again_again(one_transplant):
                return self._take_back(RULES[9])
        for one_transplant in _distinct(
            [
                transplant,
                *[
                    user
                    for one in self._candidates_by_centre.get(
                        self.candidates[transplant["candidate_id"]]["centre_id"],
                        {},
                    ).values()
                    for user in self._transplants_by_candidate.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_transplant):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_c(candidate):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the transplant of the {organ['kind']} of donor "
                f"{self.donors[organ['donor_id']]['number']} (new: transplant {transplant['id']})."
            ),
            "data": {"transplant_id": transplant["id"], **self._changes()},
        }

    def discard_organ(self, organ_id: str) -> Result:
        """Give up a free organ that is on offer to nobody.

        Args:
            organ_id (str): Id of the organ, such as ORGAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organ = self.organs.get(organ_id)
        if organ is None:
            return _refused(f"There is no organ {organ_id!r}.")
        if organ["status"] != "free":
            return _refused(
                f"The {organ['kind']} of donor {self.donors[organ['donor_id']]['number']} is {organ['status']}."
            )
        other = self._pending(organ)
        if other is not None:
            return _refused(
                f"It is on offer to {self.candidates[other['candidate_id']]['name']} until {other['answer_by']}."
            )
        self._journal = []
        self._put("organs", organ, "status", "discarded")
        if self._breaks_rule_6(organ):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: discard the {organ['kind']} of donor {self.donors[organ['donor_id']]['number']}.",
            "data": self._changes(),
        }

    def _show_centre(self, centre: Centre) -> dict[str, Any]:
        """The centre as an answer shows it."""
        return {**centre, "transplants": [*centre["transplants"]], "waiting": self._centre_waiting(centre)}

    def _show_candidate(self, candidate: Candidate) -> dict[str, Any]:
        """The candidate as an answer shows it."""
        return {
            **candidate,
            "tissue": [*candidate["tissue"]],
            "unacceptable": [*candidate["unacceptable"]],
            "points": self._candidate_points(candidate),
        }

    def _show_donor(self, donor: Donor) -> dict[str, Any]:
        """The donor as an answer shows it."""
        return {**donor, "tissue": [*donor["tissue"]]}

    def _names_of_candidates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that candidates point to."""
        return _names((self.centres, "name", [row["centre_id"] for row in shown]))

    def _names_of_donors(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that donors point to."""
        return _names((self.centres, "name", [row["centre_id"] for row in shown]))

    def _names_of_organs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that organs point to."""
        return _names((self.donors, "number", [row["donor_id"] for row in shown]))

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names((self.candidates, "name", [row["candidate_id"] for row in shown]))

    def _names_of_transplants(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that transplants point to."""
        return _names((self.candidates, "name", [row["candidate_id"] for row in shown]))

    def _centre_waiting(self, centre: Centre) -> int:
        """The waiting of a centre."""
        return len(self._candidates_by_centre_status.get((centre["id"], "active"), {}))

    def _candidate_points(self, candidate: Candidate) -> int:
        """The points of a candidate."""
        return _days_between(candidate["listed_on"], self.now[:10]) // 30 + candidate["urgency"] * 25

    def _most_hours(self, kind: str) -> int:
        return 6 if kind == "heart" else 12 if kind == "liver" else 36

    def _same_kind(self, g: Organ, c: Candidate) -> bool:
        return c["organ"] == "kidney" if g["kind"] in ("left_kidney", "right_kidney") else c["organ"] == g["kind"]

    def _blood_fits(self, d: Donor, c: Candidate) -> bool:
        return d["blood"] == "O" or d["blood"] == c["blood"] or c["blood"] == "AB"

    def _size_fits(self, d: Donor, c: Candidate) -> bool:
        return c["organ"] == "kidney" or 7 * c["weight"] <= 10 * d["weight"] and 10 * d["weight"] <= 14 * c["weight"]

    def _compatible(self, g: Organ, c: Candidate) -> bool:
        return (
            self._same_kind(g, c)
            and self._blood_fits(self.donors[g["donor_id"]], c)
            and self._size_fits(self.donors[g["donor_id"]], c)
            and not any(t in self.donors[g["donor_id"]]["tissue"] for t in c["unacceptable"])
        )

    def _score(self, g: Organ, c: Candidate) -> int:
        return (
            self._candidate_points(c)
            + 6 * sum(1 for t in c["tissue"] if t in self.donors[g["donor_id"]]["tissue"])
            + (12 if self.donors[g["donor_id"]]["centre_id"] == c["centre_id"] else 0)
        )

    def _tied_up(self, c: Candidate) -> bool:
        return any(f["status"] == "accepted" for f in self._offers_by_candidate.get(c["id"], {}).values())

    def _in_line(self, g: Organ, c: Candidate) -> bool:
        return (
            c["status"] == "active"
            and self._compatible(g, c)
            and not self._tied_up(c)
            and not self._offers_by_organ_candidate.get((g["id"], c["id"]), {})
        )

    def _next_for(self, g: Organ) -> Candidate | None:
        return min(
            (c for c in self.candidates.values() if self._in_line(g, c)),
            key=lambda c: (-self._score(g, c), c["listed_on"], c["name"], _age(c)),
            default=None,
        )

    def _pending(self, g: Organ) -> Offer | None:
        return next(
            (
                f
                for f in sorted(self._offers_by_organ.get(g["id"], {}).values(), key=_age)
                if f["status"] in ("open", "accepted")
            ),
            None,
        )

    def _done_on(self, k: Centre, d: str) -> int:
        return sum(
            1
            for _candidate in self._candidates_by_centre.get(k["id"], {}).values()
            for t in self._transplants_by_candidate.get(_candidate["id"], {}).values()
            if t["done_at"][:10] == d
        )

    def _breaks_rule_1(self, f: Offer) -> bool:
        """Whether this is broken: an organ is offered to one candidate at a time."""
        return (
            f["status"] in ("open", "accepted")
            and any(
                other_f is not f
                for other_f in self._offers_by_organ.get(f["organ_id"], {}).values()
                if other_f["status"] in ("open", "accepted")
            )
        )

    def _breaks_rule_2(self, f: Offer) -> bool:
        """Whether this is broken: no candidate is offered the same organ twice."""
        return any(
            other_f is not f
            for other_f in self._offers_by_organ_candidate.get((f["organ_id"], f["candidate_id"]), {}).values()
        )

    def _breaks_rule_3(self, f: Offer) -> bool:
        """Whether this is broken: organs are offered only to candidates with whom they are compatible."""
        return (
            f["status"] in ("open", "accepted")
            and not self._compatible(self.organs[f["organ_id"]], self.candidates[f["candidate_id"]])
        )

    def _breaks_rule_4_f(self, f: Offer) -> bool:
        """Whether this is broken: only active candidates have an offer that is open or accepted."""
        return f["status"] == "open" and self.candidates[f["candidate_id"]]["status"] != "active"

    def _breaks_rule_4_f_again(self, f: Offer) -> bool:
        """Whether this is broken: only active candidates have an offer that is open or accepted."""
        return (
            f["status"] == "accepted"
            and self.candidates[f["candidate_id"]]["status"] not in ("active", "transplanted")
        )

    def _breaks_rule_5(self, f: Offer) -> bool:
        """Whether this is broken: a candidate accepts one organ at most."""
        return (
            f["status"] == "accepted"
            and any(
                other_f is not f
                for other_f in self._offers_by_candidate_status.get((f["candidate_id"], "accepted"), {}).values()
            )
        )

    def _breaks_rule_6(self, g: Organ) -> bool:
        """Whether this is broken: an organ counts as accepted or transplanted exactly when an offer of it was
        accepted.
        """
        return (g["status"] in ("accepted", "transplanted")) != any(
            f["status"] == "accepted"
            for f in self._offers_by_organ.get(g["id"], {}).values()
        )

    def _breaks_rule_7(self, f: Offer) -> bool:
        """Whether this is broken: an offer must be answered while the organ is good."""
        return f["made_at"] >= f["answer_by"] or f["answer_by"] > self.organs[f["organ_id"]]["good_until"]

    def _breaks_rule_8(self, f: Offer) -> bool:
        """Whether this is broken: an offer that was declined says why, and no other does."""
        return (f["status"] == "declined") != (f["reason"] is not None)

    def _breaks_rule_9(self, c: Candidate) -> bool:
        """Whether this is broken: a candidate is suspended with a reason, and nobody else has one."""
        return (c["status"] == "suspended") != (c["suspended_for"] is not None)

    def _breaks_rule_10_t(self, t: Transplant) -> bool:
        """Whether this is broken: an organ goes to the candidate who accepted it, once, and while it is good."""
        return any(other_t is not t for other_t in self._transplants_by_organ.get(t["organ_id"], {}).values())

    def _breaks_rule_10_t_again(self, t: Transplant) -> bool:
        """Whether this is broken: an organ goes to the candidate who accepted it, once, and while it is good."""
        return any(other_t is not t for other_t in self._transplants_by_candidate.get(t["candidate_id"], {}).values())

    def _breaks_rule_10_t_again_again(self, t: Transplant) -> bool:
        """Whether this is broken: an organ goes to the candidate who accepted it, once, and while it is good."""
        return not (
            t["done_at"] <= self.organs[t["organ_id"]]["good_until"]
            and any(
                f["status"] == "accepted"
                and f["candidate_id"] == t["candidate_id"]
                for f in self._offers_by_organ.get(t["organ_id"], {}).values()
            )
        )

    def _breaks_rule_11(self, t: Transplant) -> bool:
        """Whether this is broken: a centre does no more transplants a day than it has teams."""
        return sum(
            1
            for _candidate in self._candidates_by_centre.get(
                self.candidates[t["candidate_id"]]["centre_id"],
                {},
            ).values()
            for u in self._transplants_by_candidate.get(_candidate["id"], {}).values()
            if u["done_at"][:10] == t["done_at"][:10]
        ) > self.centres[self.candidates[t["candidate_id"]]["centre_id"]]["teams"]

    def _breaks_rule_12_g(self, g: Organ) -> bool:
        """Whether this is broken: a donor gives each organ once, and candidates wait at centres that transplant it.
        """
        return any(
            other_g is not g
            for other_g in self._organs_by_donor_kind.get((g["donor_id"], g["kind"]), {}).values()
        )

    def _breaks_rule_12_c(self, c: Candidate) -> bool:
        """Whether this is broken: a donor gives each organ once, and candidates wait at centres that transplant it.
        """
        return c["status"] == "active" and c["organ"] not in self.centres[c["centre_id"]]["transplants"]

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
            case "candidates":
                self._candidates_by_centre.setdefault(record["centre_id"], {})[record["id"]] = record
                self._candidates_by_centre_status.setdefault(
                    (record["centre_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._candidates_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._candidates_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "donors":
                self._donors_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._donors_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "organs":
                self._organs_by_donor_kind.setdefault((record["donor_id"], record["kind"]), {})[record["id"]] = record
            case "offers":
                self._offers_by_candidate.setdefault(record["candidate_id"], {})[record["id"]] = record
                self._offers_by_candidate_status.setdefault(
                    (record["candidate_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._offers_by_organ.setdefault(record["organ_id"], {})[record["id"]] = record
                self._offers_by_organ_candidate.setdefault(
                    (record["organ_id"], record["candidate_id"]),
                    {},
                )[record["id"]] = record
                self._offers_by_organ_status.setdefault((record["organ_id"], record["status"]), {})[record["id"]] = record
                self._offers_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "transplants":
                self._transplants_by_candidate.setdefault(record["candidate_id"], {})[record["id"]] = record
                self._transplants_by_organ.setdefault(record["organ_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "candidates":
                del self._candidates_by_centre[record["centre_id"]][record["id"]]
                del self._candidates_by_centre_status[record["centre_id"], record["status"]][record["id"]]
                del self._candidates_by_lower_name[record["name"].lower()][record["id"]]
                del self._candidates_by_name[record["name"]][record["id"]]
            case "donors":
                del self._donors_by_lower_number[record["number"].lower()][record["id"]]
                del self._donors_by_number[record["number"]][record["id"]]
            case "organs":
                del self._organs_by_donor_kind[record["donor_id"], record["kind"]][record["id"]]
            case "offers":
                del self._offers_by_candidate[record["candidate_id"]][record["id"]]
                del self._offers_by_candidate_status[record["candidate_id"], record["status"]][record["id"]]
                del self._offers_by_organ[record["organ_id"]][record["id"]]
                del self._offers_by_organ_candidate[record["organ_id"], record["candidate_id"]][record["id"]]
                del self._offers_by_organ_status[record["organ_id"], record["status"]][record["id"]]
                del self._offers_by_status[record["status"]][record["id"]]
            case "transplants":
                del self._transplants_by_candidate[record["candidate_id"]][record["id"]]
                del self._transplants_by_organ[record["organ_id"]][record["id"]]
