"""Recruitment. Compiled from blueprint.yaml; run `envscaler build recruitment` after changing it there.

Fills the requisitions of a company, from applications and referrals over interview panels and score cards to
offers in the order of the ranking.
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
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No more people are hired or hold an offer than the headcount of the requisition.",
    "A salary offered is not above the top of the band.",
    "A panel has two or three trained people, one of them from the department that hires.",
    "Whoever referred a candidate does not sit on the panel.",
    "An interviewer has one interview at a time and no more a day than they take on.",
    "A candidate has one interview at a time.",
    "Score cards come from members of the panel, one each.",
    "A candidate applies once for a requisition as long as the application is alive.",
    "A candidate holds one open offer at a time, and an open offer belongs to an application that says so.",
    "Whoever is hired has no other application under way.",
    "A bonus is paid for referred people who were hired.",
    "Only people who were interviewed and judged get an offer.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_application",
    "schedule_interview",
    "move_interview",
    "drop_interview",
    "replace_interviewer",
    "file_score",
    "end_application",
    "make_offer",
    "accept_offer",
    "end_offer",
    "change_headcount",
    "pay_referral",
)
"""The methods that may change something; all others only read."""

OFFER_STATUS_MOVES = {("open", "accepted"), ("open", "declined"), ("open", "lapsed"), ("open", "retracted")}

LABELS: dict[str, tuple[str, ...]] = {
    "staff": ("name",),
    "requisitions": ("title",),
    "candidates": ("name",),
    "applications": (),
    "interviews": (),
    "score_cards": (),
    "offers": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("applications", "candidate_id"),
    ("applications", "requisition_id"),
    ("applications", "status"),
    ("interviews", "application_id"),
    ("interviews", "panel_ids"),
    ("offers", "application_id"),
    ("offers", "status"),
    ("score_cards", "by_id"),
    ("score_cards", "interview_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Staff(TypedDict):
    id: str
    name: str
    department: Literal["engineering", "sales", "operations", "finance"]
    trained: bool
    most_a_day: int


class Requisition(TypedDict):
    id: str
    title: str
    department: Literal["engineering", "sales", "operations", "finance"]
    lead_id: str
    headcount: int
    interviews_needed: int
    top_salary: int
    bonus: int


class Candidate(TypedDict):
    id: str
    name: str
    town: str


class Application(TypedDict):
    id: str
    candidate_id: str
    requisition_id: str
    referrer_id: str | None
    applied_on: str
    reason: str | None
    bonus_paid_on: str | None
    status: Literal["applied", "interviewing", "rejected", "withdrawn", "offered", "hired"]


class Interview(TypedDict):
    id: str
    application_id: str
    at: str
    panel_ids: list[str]


class ScoreCard(TypedDict):
    id: str
    interview_id: str
    by_id: str
    score: int
    remark: str | None


class Offer(TypedDict):
    id: str
    application_id: str
    salary: int
    made_on: str
    valid_until: str
    starts_on: str | None
    status: Literal["open", "accepted", "declined", "lapsed", "retracted"]


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


def _mean(values: list[int]) -> Fraction | None:
    """The average, or None of nothing."""
    return Fraction(sum(values), len(values)) if values else None


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class Recruitment:
    """Fills the requisitions of a company, from applications and referrals over interview panels and score
    cards to offers in the order of the ranking.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.staff: dict[str, Staff] = _copied(config.get("staff", {}))
        self.requisitions: dict[str, Requisition] = _copied(config.get("requisitions", {}))
        self.candidates: dict[str, Candidate] = _copied(config.get("candidates", {}))
        self.applications: dict[str, Application] = _copied(config.get("applications", {}))
        self.interviews: dict[str, Interview] = _copied(config.get("interviews", {}))
        self.score_cards: dict[str, ScoreCard] = _copied(config.get("score_cards", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.now: str = config.get("now", "2026-09-14T09:00")
        self.counters: dict[str, int] = {
            "staff": len(self.staff),
            "requisition": len(self.requisitions),
            "candidate": len(self.candidates),
            "application": len(self.applications),
            "interview": len(self.interviews),
            "score_card": len(self.score_cards),
            "offer": len(self.offers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._applications_by_candidate: dict[Any, dict[str, Application]] = {}
        self._applications_by_candidate_requisition: dict[Any, dict[str, Application]] = {}
        self._applications_by_candidate_status: dict[Any, dict[str, Application]] = {}
        self._applications_by_requisition: dict[Any, dict[str, Application]] = {}
        self._applications_by_requisition_status: dict[Any, dict[str, Application]] = {}
        self._interviews_by_application: dict[Any, dict[str, Interview]] = {}
        self._interviews_by_panel: dict[Any, dict[str, Interview]] = {}
        self._score_cards_by_interview: dict[Any, dict[str, ScoreCard]] = {}
        self._score_cards_by_interview_by: dict[Any, dict[str, ScoreCard]] = {}
        self._offers_by_application: dict[Any, dict[str, Offer]] = {}
        self._offers_by_application_status: dict[Any, dict[str, Offer]] = {}
        for application in self.applications.values():
            self._link("applications", application)
        for interview in self.interviews.values():
            self._link("interviews", interview)
        for score_card in self.score_cards.values():
            self._link("score_cards", score_card)
        for offer in self.offers.values():
            self._link("offers", offer)

    def ranking(self, requisition_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Candidates of a requisition who are still in the running, by points; only those fully judged can get an
        offer.

        Args:
            requisition_id (str): Id of the requisition, such as REQUISITION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}} or {"success": False, "error":
                why not}
        """
        requisition = self.requisitions.get(requisition_id)
        if requisition is None:
            return _refused(f"There is no requisition {requisition_id!r}.")
        found = [
            a
            for a in self._applications_by_requisition.get(requisition_id, {}).values()
            if (a["requisition_id"] == requisition_id and a["status"] == "interviewing")
        ]
        found.sort(key=lambda a: (-self._application_points(a), a["id"], _age(a)))
        return _found(
            {
                "total": len(found),
                "applications": [
                    {
                        "id": a["id"],
                        "candidate": self.candidates[a["candidate_id"]]["name"],
                        "points": self._application_points(a),
                        "interviews": self._application_interviews(a),
                        "cards_missing": self._application_cards_missing(a),
                        "fully_judged": self._judged(a),
                        "vacant": self._requisition_vacant(requisition),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def open_cards(
        self,
        by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Interviews that are over and still lack score cards, with those who owe them.

        Args:
            by_id (str, optional): Interviewer who still owes a score card; an id such as STAFF-00001. If left out,
                the missing cards of all interviewers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "interviews": records}} or {"success": False, "error":
                why not}
        """
        by = self.staff.get(by_id) if by_id is not None else None
        if by_id is not None and by is None:
            return _refused(f"There is no staff {by_id!r}.")
        found = [
            i
            for i in self.interviews.values()
            if (
                _plus_minutes(i["at"], 60) <= self.now
                and self.applications[i["application_id"]]["status"] == "interviewing"
            )
            and any(
                not self._score_cards_by_interview_by.get((i["id"], s["id"]), {})
                for s in [self.staff[key] for key in i["panel_ids"]]
            )
            and (
                by_id is None
                or by_id in i["panel_ids"]
                and not self._score_cards_by_interview_by.get((i["id"], by_id), {})
            )
        ]
        found.sort(key=lambda i: (i["at"], i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "interviews": [
                    {
                        "id": i["id"],
                        "candidate": self.candidates[self.applications[i["application_id"]]["candidate_id"]]["name"],
                        "requisition": self.requisitions[
                            self.applications[i["application_id"]]["requisition_id"]
                        ]["title"],
                        "at": i["at"],
                        "owed_by": [
                            *[
                                s["name"]
                                for s in [self.staff[key] for key in i["panel_ids"]]
                                if not self._score_cards_by_interview_by.get((i["id"], s["id"]), {})
                            ]
                        ],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def free_interviewers(
        self,
        at: DateTime,
        department: Literal["engineering", "sales", "operations", "finance"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Trained people who could sit on a panel at some time, those with the fewest interviews ahead first.

        Args:
            at (str): When the interview of one hour would begin, as YYYY-MM-DDTHH:MM.
            department (str, optional): Department to which the interviewers belong: engineering, sales, operations
                or finance. If left out, people of all departments are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "staff": records}} or {"success": False, "error": why
                not}
        """
        found = [
            s
            for s in self.staff.values()
            if (
                s["trained"]
                and self._busy(s, at, None) is None
                and self._that_day(s, at[:10], None) < s["most_a_day"]
            )
            and (department is None or s["department"] == department)
        ]
        found.sort(key=lambda s: (self._ahead_of(s, self.now), s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "staff": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "department": s["department"],
                        "interviews_ahead": self._ahead_of(s, self.now),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_staff(
        self,
        name: Text | None = None,
        department: Literal["engineering", "sales", "operations", "finance"] | None = None,
        trained: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the staff, oldest first, all of them or only some.

        Args:
            name (str, optional): Only staff whose name contains this text.
            department (str, optional): Only staff with this department.
            trained (bool, optional): Only staff that are trained (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "staff": records}}
        """
        found = [
            staff
            for staff in self.staff.values()
            if (name is None or name.casefold() in staff["name"].casefold())
            and (department is None or staff["department"] == department)
            and (trained is None or staff["trained"] == trained)
        ]
        return _found({"total": len(found), "staff": [{**staff} for staff in _page(found, offset)]})

    def list_requisitions(
        self,
        title: Text | None = None,
        department: Literal["engineering", "sales", "operations", "finance"] | None = None,
        lead_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requisitions, oldest first, all of them or only some.

        Args:
            title (str, optional): Only requisitions whose title contains this text.
            department (str, optional): Only requisitions with this department.
            lead_id (str, optional): Only requisitions whose lead is this staff.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requisitions": records}}
        """
        if lead_id is not None and lead_id not in self.staff:
            return _refused(f"There is no staff {lead_id!r}.")
        found = [
            requisition
            for requisition in self.requisitions.values()
            if (title is None or title.casefold() in requisition["title"].casefold())
            and (department is None or requisition["department"] == department)
            and (lead_id is None or requisition["lead_id"] == lead_id)
        ]
        shown = [self._show_requisition(requisition) for requisition in _page(found, offset)]
        return _found({"total": len(found), "requisitions": shown}, self._names_of_requisitions(shown))

    def list_candidates(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the candidates, oldest first, all of them or only some.

        Args:
            name (str, optional): Only candidates whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "candidates": records}}
        """
        found = [
            candidate
            for candidate in self.candidates.values()
            if (name is None or name.casefold() in candidate["name"].casefold())
        ]
        return _found({"total": len(found), "candidates": [{**candidate} for candidate in _page(found, offset)]})

    def list_applications(
        self,
        candidate_id: str | None = None,
        requisition_id: str | None = None,
        referrer_id: str | None = None,
        status: Literal["applied", "interviewing", "rejected", "withdrawn", "offered", "hired"] | None = None,
        applied_on_from: Date | None = None,
        applied_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applications, oldest first, all of them or only some.

        Args:
            candidate_id (str, optional): Only applications of this candidate.
            requisition_id (str, optional): Only applications of this requisition.
            referrer_id (str, optional): Only applications whose referrer is this staff.
            status (str, optional): Only applications with this status.
            applied_on_from (str, optional): Only applications whose `applied_on` is on this day or later.
            applied_on_to (str, optional): Only applications whose `applied_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}}
        """
        if candidate_id is not None and candidate_id not in self.candidates:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if requisition_id is not None and requisition_id not in self.requisitions:
            return _refused(f"There is no requisition {requisition_id!r}.")
        if referrer_id is not None and referrer_id not in self.staff:
            return _refused(f"There is no staff {referrer_id!r}.")
        found = [
            application
            for application in self.applications.values()
            if (candidate_id is None or application["candidate_id"] == candidate_id)
            and (requisition_id is None or application["requisition_id"] == requisition_id)
            and (referrer_id is None or application["referrer_id"] == referrer_id)
            and (status is None or application["status"] == status)
            and (applied_on_from is None or application["applied_on"] >= applied_on_from)
            and (applied_on_to is None or application["applied_on"] <= applied_on_to)
        ]
        shown = [self._show_application(application) for application in _page(found, offset)]
        return _found({"total": len(found), "applications": shown}, self._names_of_applications(shown))

    def list_interviews(
        self,
        application_id: str | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the interviews, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only interviews of this application.
            at_from (str, optional): Only interviews whose `at` is on this day or later.
            at_to (str, optional): Only interviews whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "interviews": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        found = [
            interview
            for interview in self.interviews.values()
            if (application_id is None or interview["application_id"] == application_id)
            and (at_from is None or interview["at"][:10] >= at_from)
            and (at_to is None or interview["at"][:10] <= at_to)
        ]
        shown = [self._show_interview(interview) for interview in _page(found, offset)]
        return _found({"total": len(found), "interviews": shown}, self._names_of_interviews(shown))

    def list_score_cards(
        self,
        interview_id: str | None = None,
        by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the score cards, oldest first, all of them or only some.

        Args:
            interview_id (str, optional): Only score cards of this interview.
            by_id (str, optional): Only score cards by this staff.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "score_cards": records}}
        """
        if interview_id is not None and interview_id not in self.interviews:
            return _refused(f"There is no interview {interview_id!r}.")
        if by_id is not None and by_id not in self.staff:
            return _refused(f"There is no staff {by_id!r}.")
        found = [
            score_card
            for score_card in self.score_cards.values()
            if (interview_id is None or score_card["interview_id"] == interview_id)
            and (by_id is None or score_card["by_id"] == by_id)
        ]
        shown = [{**score_card} for score_card in _page(found, offset)]
        return _found({"total": len(found), "score_cards": shown}, self._names_of_score_cards(shown))

    def list_offers(
        self,
        application_id: str | None = None,
        status: Literal["open", "accepted", "declined", "lapsed", "retracted"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only offers of this application.
            status (str, optional): Only offers with this status.
            made_on_from (str, optional): Only offers whose `made_on` is on this day or later.
            made_on_to (str, optional): Only offers whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (application_id is None or offer["application_id"] == application_id)
            and (status is None or offer["status"] == status)
            and (made_on_from is None or offer["made_on"] >= made_on_from)
            and (made_on_to is None or offer["made_on"] <= made_on_to)
        ]
        shown = [self._show_offer(offer) for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_application(self, candidate_id: str, requisition_id: str, referrer_id: str | None = None) -> Result:
        """Take in the application of a candidate, perhaps referred by a member of staff.

        Args:
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            requisition_id (str): Id of the requisition, such as REQUISITION-00001.
            referrer_id (str, optional): Member of staff who referred the candidate, other than the lead of the
                requisition; an id such as STAFF-00001. If left out, nobody is noted as referrer, and no referral
                bonus is due.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        requisition = self.requisitions.get(requisition_id)
        if requisition is None:
            return _refused(f"There is no requisition {requisition_id!r}.")
        referrer = self.staff.get(referrer_id) if referrer_id is not None else None
        if referrer_id is not None and referrer is None:
            return _refused(f"There is no staff {referrer_id!r}.")
        if self._applications_by_candidate_status.get((candidate_id, "hired"), {}):
            return _refused(f"{candidate['name']} has been hired already.")
        if any(
            self._live(a)
            for a in self._applications_by_candidate_requisition.get((candidate_id, requisition_id), {}).values()
        ):
            return _refused(f"{candidate['name']} has an application for {requisition['title']} under way.")
        if requisition["headcount"] <= self._requisition_hired(requisition):
            return _refused(f"All places of {requisition['title']} are filled.")
        if referrer_id is not None and referrer_id == requisition["lead_id"]:
            return _refused(
                f"{self.staff[requisition['lead_id']]['name']} leads the requisition and cannot refer somebody to it."
            )
        self._journal = []
        application: Application = {
            "id": self._new_id("application", "APPLICATION", self.applications),
            "candidate_id": candidate_id,
            "requisition_id": requisition_id,
            "referrer_id": referrer_id,
            "applied_on": self.now[:10],
            "reason": None,
            "bonus_paid_on": None,
            "status": "applied",
        }
        self._add("applications", application)
        if self._breaks_rule_1(self.requisitions[application["requisition_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_8(application):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_a(application):
            return self._take_back(RULES[8])
        for one_application in _distinct(
            [
                application,
                *self._applications_by_candidate_status.get((application["candidate_id"], "hired"), {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_application):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(application):
            return self._take_back(RULES[10])
        done = f"take the application of {candidate['name']} for {requisition['title']}"
        if referrer is not None:
            done += f", referred by {referrer['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: application {application['id']}).",
            "data": {"application_id": application["id"], **self._changes()},
        }

    def schedule_interview(
        self,
        application_id: str,
        at: DateTime,
        panel_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Set an interview of one hour with two or three trained interviewers.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            at (str): When the interview of one hour begins, on a working day in office hours, as YYYY-MM-DDTHH:MM.
            panel_ids (list): Two or three trained interviewers, one of them from the department of the
                requisition: ids of staff, such as STAFF-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        panel = []
        for key in panel_ids:
            if key not in self.staff:
                return _refused(f"There is no staff {key!r}.")
            panel.append(self.staff[key])
        if application["status"] not in ("applied", "interviewing"):
            return _refused(
                f"The application of {self.candidates[application['candidate_id']]['name']} is "
                f"{application['status']}."
            )
        if not (at > self.now and self._office_hours(at)):
            return _refused("Interviews are on working days from 08:00 to 17:00, and in the future.")
        if not ((2 <= len(panel) and len(panel) <= 3) and _different([s["id"] for s in panel])):
            return _refused("A panel has two or three different people.")
        raw = next((s for s in panel if not s["trained"]), None)
        if raw is not None:
            return _refused(f"{raw['name']} has not been trained as an interviewer.")
        if not any(s["department"] == self.requisitions[application["requisition_id"]]["department"] for s in panel):
            return _refused(
                f"Somebody from {self.requisitions[application['requisition_id']]['department']} must be on the "
                "panel."
            )
        if any(s["id"] == application["referrer_id"] for s in panel):
            return _refused(
                f"The person who referred {self.candidates[application['candidate_id']]['name']} cannot be on the "
                "panel."
            )
        taken = next((s for s in panel if self._busy(s, at, None) is not None), None)
        if taken is not None:
            return _refused(f"{taken['name']} has another interview at that time.")
        full = next((s for s in panel if self._that_day(s, at[:10], None) >= s["most_a_day"]), None)
        if full is not None:
            return _refused(f"{full['name']} takes no more than {full['most_a_day']} interviews a day.")
        if any(
            _overlap(i["at"], _plus_minutes(i["at"], 60), at, _plus_minutes(at, 60))
            for _application in self._applications_by_candidate.get(application["candidate_id"], {}).values()
            for i in self._interviews_by_application.get(_application["id"], {}).values()
        ):
            return _refused(
                f"{self.candidates[application['candidate_id']]['name']} has another interview at that time."
            )
        if self._application_interviews(application) >= self.requisitions[
            application["requisition_id"]
        ]["interviews_needed"]:
            return _refused(
                f"{self.candidates[application['candidate_id']]['name']} has had all "
                f"{self.requisitions[application['requisition_id']]['interviews_needed']} interviews."
            )
        self._journal = []
        changed_applications: list[Any] = []
        interview: Interview = {
            "id": self._new_id("interview", "INTERVIEW", self.interviews),
            "application_id": application_id,
            "at": at,
            "panel_ids": [record["id"] for record in panel],
        }
        self._add("interviews", interview)
        if application["status"] == "applied":
            changed_applications.append(application)
            self._put("applications", application, "status", "interviewing")
        for one_requisition in _distinct([self.requisitions[one["requisition_id"]] for one in changed_applications]):
            if self._breaks_rule_1(one_requisition):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(interview):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(interview):
            return self._take_back(RULES[3])
        for one_interview in _distinct(
            [
                interview,
                *[
                    user
                    for one in [self.staff[key] for key in interview["panel_ids"]]
                    for user in self._interviews_by_panel.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_interview):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(interview):
            return self._take_back(RULES[5])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_9_a(one_application):
                return self._take_back(RULES[8])
        for one_application in _distinct(
            [
                *changed_applications,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_applications]
                    for user in self._applications_by_candidate_status.get((one["id"], "hired"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_application):
                return self._take_back(RULES[9])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_11(one_application):
                return self._take_back(RULES[10])
        for one_offer in _distinct(self._offers_by_application.get(interview["application_id"], {}).values()):
            if self._breaks_rule_12(one_offer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: set the interview of {self.candidates[application['candidate_id']]['name']} for "
                f"{self.requisitions[application['requisition_id']]['title']} on {at} with "
                f"{', '.join(str(one['name']) for one in panel)} (new: interview {interview['id']})."
            ),
            "data": {"interview_id": interview["id"], **self._changes()},
        }

    def move_interview(self, interview_id: str, at: DateTime) -> Result:
        """Move an interview that lies ahead to another time.

        Args:
            interview_id (str): Id of the interview, such as INTERVIEW-00001.
            at (str): New time at which the interview begins, on a working day in office hours, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        interview = self.interviews.get(interview_id)
        if interview is None:
            return _refused(f"There is no interview {interview_id!r}.")
        if interview["at"] <= self.now:
            return _refused(
                "The interview of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} was "
                f"on {interview['at']}."
            )
        if not (at > self.now and self._office_hours(at) and at != interview["at"]):
            return _refused("The new time is another one, on a working day from 08:00 to 17:00, and in the future.")
        taken = next(
            (
                s
                for s in [self.staff[key] for key in interview["panel_ids"]]
                if self._busy(s, at, interview) is not None
            ),
            None,
        )
        if taken is not None:
            return _refused(f"{taken['name']} has another interview at that time.")
        full = next(
            (
                s
                for s in [self.staff[key] for key in interview["panel_ids"]]
                if self._that_day(s, at[:10], interview) >= s["most_a_day"]
            ),
            None,
        )
        if full is not None:
            return _refused(f"{full['name']} takes no more than {full['most_a_day']} interviews a day.")
        if any(
            _overlap(i["at"], _plus_minutes(i["at"], 60), at, _plus_minutes(at, 60))
            for _application in self._applications_by_candidate.get(
                self.applications[interview["application_id"]]["candidate_id"],
                {},
            ).values()
            for i in self._interviews_by_application.get(_application["id"], {}).values()
            if i is not interview
        ):
            return _refused(
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} has "
                "another interview at that time."
            )
        self._journal = []
        self._put("interviews", interview, "at", at)
        for one_interview in _distinct(
            [
                interview,
                *[
                    user
                    for one in [self.staff[key] for key in interview["panel_ids"]]
                    for user in self._interviews_by_panel.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_interview):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(interview):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                "Done: move the interview of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} to {at}."
            ),
            "data": self._changes(),
        }

    def drop_interview(self, interview_id: str) -> Result:
        """Call off an interview that lies ahead, or drop one that did not take place; nobody has filed a card for it.

        Args:
            interview_id (str): Id of the interview, such as INTERVIEW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        interview = self.interviews.get(interview_id)
        if interview is None:
            return _refused(f"There is no interview {interview_id!r}.")
        if self.applications[interview["application_id"]]["status"] not in ("applied", "interviewing"):
            return _refused(
                "The application of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} is "
                f"{self.applications[interview['application_id']]['status']}."
            )
        if self._score_cards_by_interview.get(interview_id, {}):
            return _refused(
                "Somebody has filed a card, so the interview with "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} took "
                "place."
            )
        self._journal = []
        self._remove("interviews", interview)
        users = len(self._score_cards_by_interview.get(interview["id"], {}))
        if users:
            return self._take_back(
                f"Interview {interview['id']} is still used by {users} "
                f"{'score card' if users == 1 else 'score cards'}."
            )
        for one_interview in _distinct(
            [
                user
                for one in [self.staff[key] for key in interview["panel_ids"]]
                for user in self._interviews_by_panel.get(one["id"], {}).values()
            ]
        ):
            if one_interview["id"] in self.interviews and self._breaks_rule_5(one_interview):
                return self._take_back(RULES[4])
        for one_score_card in _distinct(self._score_cards_by_interview.get(interview["id"], {}).values()):
            if self._breaks_rule_7_c(one_score_card):
                return self._take_back(RULES[6])
        for one_offer in _distinct(self._offers_by_application.get(interview["application_id"], {}).values()):
            if self._breaks_rule_12(one_offer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                "Done: drop the interview of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} on "
                f"{interview['at']}."
            ),
            "data": self._changes(),
        }

    def replace_interviewer(self, interview_id: str, leaves_id: str, joins_id: str) -> Result:
        """Put somebody else on the panel of an interview that lies ahead.

        Args:
            interview_id (str): Id of the interview, such as INTERVIEW-00001.
            leaves_id (str): Member of the panel who is replaced; an id such as STAFF-00001.
            joins_id (str): Trained interviewer who takes that place on the panel; an id such as STAFF-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        interview = self.interviews.get(interview_id)
        if interview is None:
            return _refused(f"There is no interview {interview_id!r}.")
        leaves = self.staff.get(leaves_id)
        if leaves is None:
            return _refused(f"There is no staff {leaves_id!r}.")
        joins = self.staff.get(joins_id)
        if joins is None:
            return _refused(f"There is no staff {joins_id!r}.")
        if interview["at"] <= self.now:
            return _refused(
                "The interview of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} was "
                f"on {interview['at']}."
            )
        if leaves_id not in interview["panel_ids"]:
            return _refused(f"{leaves['name']} is not on this panel.")
        if joins_id in interview["panel_ids"]:
            return _refused(f"{joins['name']} is on this panel already.")
        if not joins["trained"]:
            return _refused(f"{joins['name']} has not been trained as an interviewer.")
        if joins_id == self.applications[interview["application_id"]]["referrer_id"]:
            return _refused(
                f"{joins['name']} referred "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']}."
            )
        if self._busy(joins, interview["at"], None) is not None:
            return _refused(f"{joins['name']} has another interview at that time.")
        if self._that_day(joins, interview["at"][:10], None) >= joins["most_a_day"]:
            return _refused(f"{joins['name']} takes no more than {joins['most_a_day']} interviews a day.")
        if not (
            any(
                s["department"] == self.requisitions[
                    self.applications[interview["application_id"]]["requisition_id"]
                ]["department"]
                for s in [self.staff[key] for key in interview["panel_ids"]]
                if s is not leaves
            )
            or joins["department"] == self.requisitions[
                self.applications[interview["application_id"]]["requisition_id"]
            ]["department"]
        ):
            return _refused(
                "Somebody from "
                f"{self.requisitions[self.applications[interview['application_id']]['requisition_id']]['department']} must stay on the panel."
            )
        self._journal = []
        former_panel_ids = interview["panel_ids"]
        self._put(
            "interviews",
            interview,
            "panel_ids",
            [
                record["id"]
                for record in [
                    s
                    for s in [self.staff[key] for key in interview["panel_ids"]]
                    if s is not leaves
                ] + [joins]
            ],
        )
        if self._breaks_rule_3(interview):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(interview):
            return self._take_back(RULES[3])
        for one_interview in _distinct(
            [
                interview,
                *[
                    user
                    for one in [self.staff[key] for key in interview["panel_ids"]]
                    for user in self._interviews_by_panel.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.staff.get(key) for key in former_panel_ids]
                    if one is not None
                    for user in self._interviews_by_panel.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_interview):
                return self._take_back(RULES[4])
        for one_score_card in _distinct(self._score_cards_by_interview.get(interview["id"], {}).values()):
            if self._breaks_rule_7_c(one_score_card):
                return self._take_back(RULES[6])
        for one_offer in _distinct(self._offers_by_application.get(interview["application_id"], {}).values()):
            if self._breaks_rule_12(one_offer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: replace {leaves['name']} by {joins['name']} in the interview of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def file_score(
        self,
        interview_id: str,
        by_id: str,
        score: Annotated[int, {"minimum": 1, "maximum": 5}],
        remark: Text | None = None,
    ) -> Result:
        """File the score card of a member of the panel after the interview, from 1 (no) to 5 (outstanding).

        Args:
            interview_id (str): Id of the interview, such as INTERVIEW-00001.
            by_id (str): Member of the panel who gives the score; an id such as STAFF-00001.
            score (int): How well the candidate did, 1 meaning no and 5 outstanding, from 1 to 5.
            remark (str, optional): What the interviewer notes about the candidate. If left out, the card has no
                remark.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        interview = self.interviews.get(interview_id)
        if interview is None:
            return _refused(f"There is no interview {interview_id!r}.")
        by = self.staff.get(by_id)
        if by is None:
            return _refused(f"There is no staff {by_id!r}.")
        if _plus_minutes(interview["at"], 60) > self.now:
            return _refused(
                "The interview of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} is "
                f"not over before {_plus_minutes(interview['at'], 60)}."
            )
        if by_id not in interview["panel_ids"]:
            return _refused(f"{by['name']} was not on this panel.")
        if self._score_cards_by_interview_by.get((interview_id, by_id), {}):
            return _refused(f"{by['name']} has filed a card for this interview.")
        if self.applications[interview["application_id"]]["status"] != "interviewing":
            return _refused(
                "The application of "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} is "
                f"{self.applications[interview['application_id']]['status']}."
            )
        self._journal = []
        score_card: ScoreCard = {
            "id": self._new_id("score_card", "SC", self.score_cards),
            "interview_id": interview_id,
            "by_id": by_id,
            "score": score,
            "remark": remark,
        }
        self._add("score_cards", score_card)
        if self._breaks_rule_7_c(score_card):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_c_again(score_card):
            return self._take_back(RULES[6])
        for one_offer in _distinct(
            self._offers_by_application.get(
                self.interviews[score_card["interview_id"]]["application_id"],
                {},
            ).values()
        ):
            if self._breaks_rule_12(one_offer):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: file {score} points of {by['name']} for "
                f"{self.candidates[self.applications[interview['application_id']]['candidate_id']]['name']} (new: "
                f"score card {score_card['id']})."
            ),
            "data": {"score_card_id": score_card["id"], **self._changes()},
        }

    def end_application(
        self,
        application_id: str,
        outcome: Literal["rejected", "withdrawn"],
        reason: Text | None = None,
    ) -> Result:
        """Reject a candidate, or note that they have withdrawn; interviews that lie ahead are dropped.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            outcome (str): Whether the company rejects the candidate or the candidate has withdrawn: rejected or
                withdrawn.
            reason (str, optional): Why the application ends, required for a rejection. If left out, no reason is
                kept, which only a withdrawal allows.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] not in ("applied", "interviewing"):
            return _refused(
                f"The application of {self.candidates[application['candidate_id']]['name']} is "
                f"{application['status']}; an offer is ended as an offer."
            )
        if outcome != "withdrawn" and reason is None:
            return _refused("A rejection needs a reason.")
        self._journal = []
        deleted_interviews: list[Any] = []
        changed_applications: list[Any] = []
        self._put("applications", application, "reason", reason)
        for i in [
            i
            for i in sorted(self._interviews_by_application.get(application_id, {}).values(), key=_age)
            if i["at"] > self.now
        ]:
            if i["id"] in self.interviews:
                self._remove("interviews", i)
            deleted_interviews.append(i)
        if outcome == "rejected":
            changed_applications.append(application)
            self._put("applications", application, "status", "rejected")
        else:
            if application["status"] not in ("applied", "interviewing", "withdrawn", "offered"):
                return self._take_back(
                    f"Application {application['id']} cannot go from {application['status']} to withdrawn."
                )
            changed_applications.append(application)
            self._put("applications", application, "status", "withdrawn")
        for one_interview in deleted_interviews:
            users = len(self._score_cards_by_interview.get(one_interview["id"], {}))
            if users:
                return self._take_back(
                    f"Interview {one_interview['id']} is still used by {users} "
                    f"{'score card' if users == 1 else 'score cards'}."
                )
        for one_requisition in _distinct([self.requisitions[one["requisition_id"]] for one in changed_applications]):
            if self._breaks_rule_1(one_requisition):
                return self._take_back(RULES[0])
        for one_interview_2 in _distinct(
            [
                user
                for one in [self.staff[key] for one in deleted_interviews for key in one["panel_ids"]]
                for user in self._interviews_by_panel.get(one["id"], {}).values()
            ]
        ):
            if one_interview_2["id"] in self.interviews and self._breaks_rule_5(one_interview_2):
                return self._take_back(RULES[4])
        for one_score_card in _distinct(
            [
                user
                for one in deleted_interviews
                for user in self._score_cards_by_interview.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7_c(one_score_card):
                return self._take_back(RULES[6])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_9_a(one_application):
                return self._take_back(RULES[8])
        for one_application in _distinct(
            [
                *changed_applications,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_applications]
                    for user in self._applications_by_candidate_status.get((one["id"], "hired"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_application):
                return self._take_back(RULES[9])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_11(one_application):
                return self._take_back(RULES[10])
        for one_offer in _distinct(
            [
                user
                for one in [self.applications[one["application_id"]] for one in deleted_interviews]
                for user in self._offers_by_application.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12(one_offer):
                return self._take_back(RULES[11])
        done = f"end the application of {self.candidates[application['candidate_id']]['name']} for {self.requisitions[application['requisition_id']]['title']} as {outcome}"
        if reason is not None:
            done += f" with the reason {reason}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def make_offer(
        self,
        application_id: str,
        salary: Annotated[int, {"minimum": 2000000, "maximum": 12000000}],
        valid_until: Date,
    ) -> Result:
        """Make an offer to the candidate who is ranked highest among those still in the running.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            salary (int): Yearly salary that is offered, within the band of the requisition, in cents, from 2000000
                to 12000000.
            valid_until (str): Last day for the candidate to accept, 3 to 42 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "interviewing":
            return _refused(
                f"The application of {self.candidates[application['candidate_id']]['name']} is "
                f"{application['status']}."
            )
        if self._application_interviews(application) < self.requisitions[
            application["requisition_id"]
        ]["interviews_needed"]:
            return _refused(
                f"{self.candidates[application['candidate_id']]['name']} has had "
                f"{self._application_interviews(application)} of "
                f"{self.requisitions[application['requisition_id']]['interviews_needed']} interviews."
            )
        if self._application_cards_missing(application) != 0:
            return _refused(
                f"{self._application_cards_missing(application)} score cards of "
                f"{self.candidates[application['candidate_id']]['name']} are missing."
            )
        better = self._ahead(application)
        if better is not None:
            return _refused(
                f"{self.candidates[better['candidate_id']]['name']} is ranked higher, with "
                f"{self._application_points(better)} against {self._application_points(application)} points."
            )
        if self._requisition_vacant(self.requisitions[application["requisition_id"]]) <= 0:
            return _refused(
                f"{self.requisitions[application['requisition_id']]['title']} has no vacant place; raise the "
                "headcount or end an offer first."
            )
        if salary > self.requisitions[application["requisition_id"]]["top_salary"]:
            return _refused(
                f"The band of {self.requisitions[application['requisition_id']]['title']} ends at "
                f"{_money(self.requisitions[application['requisition_id']]['top_salary'])}."
            )
        if _plus_days(self.now[:10], 3) > valid_until or valid_until > _plus_days(self.now[:10], 42):
            return _refused("An offer is valid for 3 to 42 days.")
        if [
            o
            for _application in self._applications_by_candidate.get(application["candidate_id"], {}).values()
            for o in self._offers_by_application_status.get((_application["id"], "open"), {}).values()
        ]:
            return _refused(f"{self.candidates[application['candidate_id']]['name']} holds another open offer.")
        self._journal = []
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "application_id": application_id,
            "salary": salary,
            "made_on": self.now[:10],
            "valid_until": valid_until,
            "starts_on": None,
            "status": "open",
        }
        self._add("offers", offer)
        self._put("applications", application, "status", "offered")
        if self._breaks_rule_1(self.requisitions[application["requisition_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        if self._breaks_rule_8(application):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(offer):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_a(self.applications[offer["application_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_a(application):
            return self._take_back(RULES[8])
        for one_application in _distinct(
            [
                application,
                *self._applications_by_candidate_status.get((application["candidate_id"], "hired"), {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_application):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(application):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(offer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: offer {self.candidates[application['candidate_id']]['name']} {_money(salary)} for "
                f"{self.requisitions[application['requisition_id']]['title']} until {valid_until} (new: offer "
                f"{offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def accept_offer(
        self,
        offer_id: str,
        starts_on: Date,
        salary: Annotated[int, {"minimum": 2000000, "maximum": 12000000}] | None = None,
    ) -> Result:
        """Note that a candidate has accepted, perhaps with a better salary that was negotiated; their other
        applications are withdrawn.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            starts_on (str): First day at work of the new employee, within 180 days from today, as YYYY-MM-DD.
            salary (int, optional): Yearly salary agreed in the end, higher than what was offered, in cents, from
                2000000 to 12000000. If left out, the salary of the offer holds.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(
                "The offer to "
                f"{self.candidates[self.applications[offer['application_id']]['candidate_id']]['name']} is "
                f"{offer['status']}."
            )
        if offer["valid_until"] < self.now[:10]:
            return _refused(
                "The offer to "
                f"{self.candidates[self.applications[offer['application_id']]['candidate_id']]['name']} was valid "
                f"until {offer['valid_until']}."
            )
        if self.now[:10] > starts_on or starts_on > _plus_days(self.now[:10], 180):
            return _refused(f"The first day lies between {self.now[:10]} and {_plus_days(self.now[:10], 180)}.")
        if not (
            salary is None
            or offer["salary"] < salary
            and salary <= self.requisitions[
                self.applications[offer["application_id"]]["requisition_id"]
            ]["top_salary"]
        ):
            return _refused(
                f"What is agreed is more than the {_money(offer['salary'])} that were offered and no more than "
                f"{_money(self.requisitions[self.applications[offer['application_id']]['requisition_id']]['top_salary'])}."
            )
        self._journal = []
        changed_applications: list[Any] = []
        deleted_interviews: list[Any] = []
        self._put("offers", offer, "status", "accepted")
        new_salary = salary if salary is not None else offer["salary"]
        if not 2000000 <= new_salary <= 12000000:
            return self._take_back(f"The salary of {offer['id']} must be between 20,000.00 and 120,000.00.")
        self._put("offers", offer, "salary", new_salary)
        self._put("offers", offer, "starts_on", starts_on)
        application = self.applications[offer["application_id"]]
        if application["status"] not in ("offered", "hired"):
            return self._take_back(
                f"Application {application['id']} cannot go from {application['status']} to hired."
            )
        self._put("applications", application, "status", "hired")
        for a in [
            a
            for a in sorted(
                self._applications_by_candidate.get(
                    self.applications[offer["application_id"]]["candidate_id"],
                    {},
                ).values(),
                key=_age,
            )
            if a["status"] in ("applied", "interviewing")
        ]:
            if a["status"] not in ("applied", "interviewing", "withdrawn", "offered"):
                return self._take_back(f"Application {a['id']} cannot go from {a['status']} to withdrawn.")
            changed_applications.append(a)
            self._put("applications", a, "status", "withdrawn")
            for i in [
                i
                for i in sorted(self._interviews_by_application.get(a["id"], {}).values(), key=_age)
                if i["at"] > self.now
            ]:
                if i["id"] in self.interviews:
                    self._remove("interviews", i)
                deleted_interviews.append(i)
        for one_interview in deleted_interviews:
            users = len(self._score_cards_by_interview.get(one_interview["id"], {}))
            if users:
                return self._take_back(
                    f"Interview {one_interview['id']} is still used by {users} "
                    f"{'score card' if users == 1 else 'score cards'}."
                )
        for one_requisition in _distinct(
            [
                self.requisitions[application["requisition_id"]],
                *[self.requisitions[one["requisition_id"]] for one in changed_applications],
            ]
        ):
            if self._breaks_rule_1(one_requisition):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(offer):
            return self._take_back(RULES[1])
        for one_interview_2 in _distinct(
            [
                user
                for one in [self.staff[key] for one in deleted_interviews for key in one["panel_ids"]]
                for user in self._interviews_by_panel.get(one["id"], {}).values()
            ]
        ):
            if one_interview_2["id"] in self.interviews and self._breaks_rule_5(one_interview_2):
                return self._take_back(RULES[4])
        for one_score_card in _distinct(
            [
                user
                for one in deleted_interviews
                for user in self._score_cards_by_interview.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7_c(one_score_card):
                return self._take_back(RULES[6])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_o(offer):
            return self._take_back(RULES[8])
        for one_application in _distinct(
            [self.applications[offer["application_id"]], application, *changed_applications]
        ):
            if self._breaks_rule_9_a(one_application):
                return self._take_back(RULES[8])
        for one_application in _distinct(
            [
                application,
                *self._applications_by_candidate_status.get((application["candidate_id"], "hired"), {}).values(),
                *changed_applications,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_applications]
                    for user in self._applications_by_candidate_status.get((one["id"], "hired"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_application):
                return self._take_back(RULES[9])
        for one_application in _distinct([application, *changed_applications]):
            if self._breaks_rule_11(one_application):
                return self._take_back(RULES[10])
        for one_offer in _distinct(
            [
                user
                for one in [self.applications[one["application_id"]] for one in deleted_interviews]
                for user in self._offers_by_application.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12(one_offer):
                return self._take_back(RULES[11])
        done = f"accept the offer for {self.candidates[self.applications[offer['application_id']]['candidate_id']]['name']}, starting on {starts_on}"
        if salary is not None:
            done += f" with {_money(salary)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def end_offer(self, offer_id: str, outcome: Literal["declined", "lapsed", "retracted"]) -> Result:
        """End an open offer that was declined, has lapsed, or is retracted by the company.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.
            outcome (str): How the offer ended, lapsed being right only after its last day: declined, lapsed or
                retracted.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(
                "The offer to "
                f"{self.candidates[self.applications[offer['application_id']]['candidate_id']]['name']} is "
                f"{offer['status']}."
            )
        if (outcome == "lapsed") != (offer["valid_until"] < self.now[:10]):
            return _refused(
                "The offer to "
                f"{self.candidates[self.applications[offer['application_id']]['candidate_id']]['name']} is valid "
                f"until {offer['valid_until']}, so it is {self.now[:10]} that decides whether it has lapsed."
            )
        self._journal = []
        changed_offers: list[Any] = []
        changed_applications: list[Any] = []
        if outcome == "retracted":
            changed_offers.append(offer)
            self._put("offers", offer, "status", "retracted")
            application = self.applications[offer["application_id"]]
            if application["status"] not in ("applied", "interviewing", "rejected", "offered"):
                return self._take_back(
                    f"Application {application['id']} cannot go from {application['status']} to rejected."
                )
            changed_applications.append(application)
            self._put("applications", application, "status", "rejected")
        else:
            status = "declined" if outcome == "declined" else "lapsed"
            if offer["status"] != status and (offer["status"], status) not in OFFER_STATUS_MOVES:
                return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to {status}.")
            changed_offers.append(offer)
            self._put("offers", offer, "status", status)
            its_application = self.applications[offer["application_id"]]
            if its_application["status"] not in ("applied", "interviewing", "withdrawn", "offered"):
                return self._take_back(
                    f"Application {its_application['id']} cannot go from {its_application['status']} to withdrawn."
                )
            changed_applications.append(its_application)
            self._put("applications", its_application, "status", "withdrawn")
        for one_requisition in _distinct([self.requisitions[one["requisition_id"]] for one in changed_applications]):
            if self._breaks_rule_1(one_requisition):
                return self._take_back(RULES[0])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_8(one_application):
                return self._take_back(RULES[7])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_9_o(one_offer):
                return self._take_back(RULES[8])
        for one_application in _distinct(
            [*[self.applications[one["application_id"]] for one in changed_offers], *changed_applications]
        ):
            if self._breaks_rule_9_a(one_application):
                return self._take_back(RULES[8])
        for one_application in _distinct(
            [
                *changed_applications,
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_applications]
                    for user in self._applications_by_candidate_status.get((one["id"], "hired"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_application):
                return self._take_back(RULES[9])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_11(one_application):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                "Done: end the offer to "
                f"{self.candidates[self.applications[offer['application_id']]['candidate_id']]['name']} as {outcome}."
            ),
            "data": self._changes(),
        }

    def change_headcount(
        self,
        requisition_id: str,
        headcount: Annotated[int, {"minimum": 0, "maximum": 6}],
    ) -> Result:
        """Give a requisition more or fewer places.

        Args:
            requisition_id (str): Id of the requisition, such as REQUISITION-00001.
            headcount (int): Places of the requisition in all, those filled or offered included, from 0 to 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        requisition = self.requisitions.get(requisition_id)
        if requisition is None:
            return _refused(f"There is no requisition {requisition_id!r}.")
        if headcount == requisition["headcount"]:
            return _refused(f"{requisition['title']} has {headcount} places already.")
        if headcount < requisition["headcount"] - self._requisition_vacant(requisition):
            return _refused(
                f"{requisition['headcount'] - self._requisition_vacant(requisition)} places of "
                f"{requisition['title']} are filled or offered."
            )
        self._journal = []
        self._put("requisitions", requisition, "headcount", headcount)
        if self._breaks_rule_1(requisition):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: give {requisition['title']} {headcount} places.",
            "data": self._changes(),
        }

    def pay_referral(self, application_id: str) -> Result:
        """Pay the bonus for a referred candidate who was hired and has started.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["referrer_id"] is None:
            return _refused(f"Nobody referred {self.candidates[application['candidate_id']]['name']}.")
        if application["status"] != "hired":
            return _refused(
                f"The application of {self.candidates[application['candidate_id']]['name']} is "
                f"{application['status']}."
            )
        if application["bonus_paid_on"] is not None:
            return _refused(f"The bonus for {self.candidates[application['candidate_id']]['name']} has been paid.")
        if not any(
            o["starts_on"] is not None
            and o["starts_on"] <= self.now[:10]
            for o in self._offers_by_application_status.get((application_id, "accepted"), {}).values()
        ):
            return _refused(f"{self.candidates[application['candidate_id']]['name']} has not started yet.")
        self._journal = []
        self._put("applications", application, "bonus_paid_on", self.now[:10])
        if self._breaks_rule_11(application):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: pay the bonus for {self.candidates[application['candidate_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_requisition(self, requisition: Requisition) -> dict[str, Any]:
        """The requisition as an answer shows it."""
        return {
            **requisition,
            "hired": self._requisition_hired(requisition),
            "vacant": self._requisition_vacant(requisition),
        }

    def _show_application(self, application: Application) -> dict[str, Any]:
        """The application as an answer shows it."""
        return {
            **application,
            "interviews": self._application_interviews(application),
            "cards_missing": self._application_cards_missing(application),
            "points": self._application_points(application),
        }

    def _show_interview(self, interview: Interview) -> dict[str, Any]:
        """The interview as an answer shows it."""
        return {
            **interview,
            "panel_ids": [*interview["panel_ids"]],
            "candidate_id": _id_of(self._interview_candidate(interview)),
        }

    def _show_offer(self, offer: Offer) -> dict[str, Any]:
        """The offer as an answer shows it."""
        return {**offer, "candidate_id": _id_of(self._offer_candidate(offer))}

    def _names_of_requisitions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that requisitions point to."""
        return _names((self.staff, "name", [row["lead_id"] for row in shown]))

    def _names_of_applications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that applications point to."""
        return _names(
            (self.candidates, "name", [row["candidate_id"] for row in shown]),
            (self.requisitions, "title", [row["requisition_id"] for row in shown]),
            (self.staff, "name", [row["referrer_id"] for row in shown]),
        )

    def _names_of_interviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that interviews point to."""
        return _names(
            (self.staff, "name", [each for row in shown for each in row["panel_ids"]]),
            (self.candidates, "name", [row["candidate_id"] for row in shown]),
        )

    def _names_of_score_cards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that score cards point to."""
        return _names((self.staff, "name", [row["by_id"] for row in shown]))

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names((self.candidates, "name", [row["candidate_id"] for row in shown]))

    def _requisition_hired(self, requisition: Requisition) -> int:
        """The hired of a requisition."""
        return len(self._applications_by_requisition_status.get((requisition["id"], "hired"), {}))

    def _requisition_vacant(self, requisition: Requisition) -> int:
        """The vacant of a requisition."""
        return (
            requisition["headcount"]
            - sum(
                1
                for a in self._applications_by_requisition.get(requisition["id"], {}).values()
                if a["status"] in ("hired", "offered")
            )
        )

    def _application_interviews(self, application: Application) -> int:
        """The interviews of an application."""
        return len(self._interviews_by_application.get(application["id"], {}))

    def _application_cards_missing(self, application: Application) -> int:
        """The cards missing of an application."""
        return (
            sum(len(i["panel_ids"]) for i in self._interviews_by_application.get(application["id"], {}).values())
            - len(
                [
                    c
                    for _interview in self._interviews_by_application.get(application["id"], {}).values()
                    for c in self._score_cards_by_interview.get(_interview["id"], {}).values()
                ]
            )
        )

    def _application_points(self, application: Application) -> int:
        """The points of an application."""
        return _rounded(
            (
                _mean(
                    [
                        c["score"]
                        for _interview in self._interviews_by_application.get(application["id"], {}).values()
                        for c in self._score_cards_by_interview.get(_interview["id"], {}).values()
                    ]
                )
                if _mean(
                    [
                        c["score"]
                        for _interview in self._interviews_by_application.get(application["id"], {}).values()
                        for c in self._score_cards_by_interview.get(_interview["id"], {}).values()
                    ]
                ) is not None
                else Fraction(0, 1)
            ) * 100
        )

    def _interview_candidate(self, interview: Interview) -> Candidate:
        """The candidate of an interview."""
        return self.candidates[self.applications[interview["application_id"]]["candidate_id"]]

    def _offer_candidate(self, offer: Offer) -> Candidate:
        """The candidate of an offer."""
        return self.candidates[self.applications[offer["application_id"]]["candidate_id"]]

    def _live(self, a: Application) -> bool:
        return a["status"] in ("applied", "interviewing", "offered")

    def _judged(self, a: Application) -> bool:
        return (
            self._application_interviews(a) >= self.requisitions[a["requisition_id"]]["interviews_needed"]
            and self._application_cards_missing(a) == 0
        )

    def _ahead(self, a: Application) -> Application | None:
        return next(
            (
                o
                for o in sorted(
                    self._applications_by_requisition_status.get((a["requisition_id"], "interviewing"), {}).values(),
                    key=_age,
                )
                if self._judged(o)
                and self._application_points(o) > self._application_points(a)
            ),
            None,
        )

    def _busy(self, s: Staff, at: str, apart: Interview | None) -> Interview | None:
        return next(
            (
                i
                for i in sorted(self._interviews_by_panel.get(s["id"], {}).values(), key=_age)
                if i is not apart
                and _overlap(i["at"], _plus_minutes(i["at"], 60), at, _plus_minutes(at, 60))
            ),
            None,
        )

    def _that_day(self, s: Staff, d: str, apart: Interview | None) -> int:
        return sum(
            1
            for i in self._interviews_by_panel.get(s["id"], {}).values()
            if i is not apart
            and i["at"][:10] == d
        )

    def _office_hours(self, at: str) -> bool:
        return _weekday(at[:10]) <= 5 and ("08:00" <= at[11:] and at[11:] <= "17:00")

    def _ahead_of(self, s: Staff, t: str) -> int:
        return sum(1 for i in self._interviews_by_panel.get(s["id"], {}).values() if i["at"] > t)

    def _breaks_rule_1(self, r: Requisition) -> bool:
        """Whether this is broken: no more people are hired or hold an offer than the headcount of the requisition.
        """
        return self._requisition_vacant(r) < 0

    def _breaks_rule_2(self, o: Offer) -> bool:
        """Whether this is broken: a salary offered is not above the top of the band."""
        return o["salary"] > self.requisitions[self.applications[o["application_id"]]["requisition_id"]]["top_salary"]

    def _breaks_rule_3(self, i: Interview) -> bool:
        """Whether this is broken: a panel has two or three trained people, one of them from the department that
        hires.
        """
        return not (
            (2 <= len(i["panel_ids"]) and len(i["panel_ids"]) <= 3)
            and _different([s["id"] for s in [self.staff[key] for key in i["panel_ids"]]])
            and all(s["trained"] for s in [self.staff[key] for key in i["panel_ids"]])
            and any(
                s["department"] == self.requisitions[
                    self.applications[i["application_id"]]["requisition_id"]
                ]["department"]
                for s in [self.staff[key] for key in i["panel_ids"]]
            )
        )

    def _breaks_rule_4(self, i: Interview) -> bool:
        """Whether this is broken: whoever referred a candidate does not sit on the panel."""
        return not all(
            s["id"] != self.applications[i["application_id"]]["referrer_id"]
            for s in [self.staff[key] for key in i["panel_ids"]]
        )

    def _breaks_rule_5(self, i: Interview) -> bool:
        """Whether this is broken: an interviewer has one interview at a time and no more a day than they take on."""
        return not all(
            self._busy(s, i["at"], i) is None
            and self._that_day(s, i["at"][:10], None) <= s["most_a_day"]
            for s in [self.staff[key] for key in i["panel_ids"]]
        )

    def _breaks_rule_6(self, i: Interview) -> bool:
        """Whether this is broken: a candidate has one interview at a time."""
        return any(
            _overlap(i["at"], _plus_minutes(i["at"], 60), k["at"], _plus_minutes(k["at"], 60))
            for _application in self._applications_by_candidate.get(
                self.applications[i["application_id"]]["candidate_id"],
                {},
            ).values()
            for k in self._interviews_by_application.get(_application["id"], {}).values()
            if i is not k
        )

    def _breaks_rule_7_c(self, c: ScoreCard) -> bool:
        """Whether this is broken: score cards come from members of the panel, one each."""
        return c["by_id"] not in self.interviews[c["interview_id"]]["panel_ids"]

    def _breaks_rule_7_c_again(self, c: ScoreCard) -> bool:
        """Whether this is broken: score cards come from members of the panel, one each."""
        return any(
            other_c is not c
            for other_c in self._score_cards_by_interview_by.get((c["interview_id"], c["by_id"]), {}).values()
        )

    def _breaks_rule_8(self, a: Application) -> bool:
        """Whether this is broken: a candidate applies once for a requisition as long as the application is alive."""
        return (
            self._live(a)
            and any(
                other_a is not a
                for other_a in self._applications_by_candidate_requisition.get(
                    (a["candidate_id"], a["requisition_id"]),
                    {},
                ).values()
                if self._live(other_a)
            )
        )

    def _breaks_rule_9_o(self, o: Offer) -> bool:
        """Whether this is broken: a candidate holds one open offer at a time, and an open offer belongs to an
        application that says so.
        """
        return (
            o["status"] == "open"
            and any(
                other_o is not o
                for _application in self._applications_by_candidate.get(
                    self.applications[o["application_id"]]["candidate_id"],
                    {},
                ).values()
                for other_o in self._offers_by_application_status.get((_application["id"], "open"), {}).values()
            )
        )

    def _breaks_rule_9_a(self, a: Application) -> bool:
        """Whether this is broken: a candidate holds one open offer at a time, and an open offer belongs to an
        application that says so.
        """
        return (a["status"] == "offered") != bool(self._offers_by_application_status.get((a["id"], "open"), {}))

    def _breaks_rule_10(self, a: Application) -> bool:
        """Whether this is broken: whoever is hired has no other application under way."""
        return (
            a["status"] == "hired"
            and any(self._live(b) for b in self._applications_by_candidate.get(a["candidate_id"], {}).values())
        )

    def _breaks_rule_11(self, a: Application) -> bool:
        """Whether this is broken: a bonus is paid for referred people who were hired."""
        return not (a["bonus_paid_on"] is None or a["status"] == "hired" and a["referrer_id"] is not None)

    def _breaks_rule_12(self, o: Offer) -> bool:
        """Whether this is broken: only people who were interviewed and judged get an offer."""
        return not self._judged(self.applications[o["application_id"]])

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
            case "applications":
                self._applications_by_candidate.setdefault(record["candidate_id"], {})[record["id"]] = record
                self._applications_by_candidate_requisition.setdefault(
                    (record["candidate_id"], record["requisition_id"]),
                    {},
                )[record["id"]] = record
                self._applications_by_candidate_status.setdefault(
                    (record["candidate_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._applications_by_requisition.setdefault(record["requisition_id"], {})[record["id"]] = record
                self._applications_by_requisition_status.setdefault(
                    (record["requisition_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "interviews":
                self._interviews_by_application.setdefault(record["application_id"], {})[record["id"]] = record
                for key in record["panel_ids"]:
                    self._interviews_by_panel.setdefault(key, {})[record["id"]] = record
            case "score_cards":
                self._score_cards_by_interview.setdefault(record["interview_id"], {})[record["id"]] = record
                self._score_cards_by_interview_by.setdefault(
                    (record["interview_id"], record["by_id"]),
                    {},
                )[record["id"]] = record
            case "offers":
                self._offers_by_application.setdefault(record["application_id"], {})[record["id"]] = record
                self._offers_by_application_status.setdefault(
                    (record["application_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "applications":
                del self._applications_by_candidate[record["candidate_id"]][record["id"]]
                del self._applications_by_candidate_requisition[
                    record["candidate_id"],
                    record["requisition_id"],
                ][record["id"]]
                del self._applications_by_candidate_status[record["candidate_id"], record["status"]][record["id"]]
                del self._applications_by_requisition[record["requisition_id"]][record["id"]]
                del self._applications_by_requisition_status[record["requisition_id"], record["status"]][record["id"]]
            case "interviews":
                del self._interviews_by_application[record["application_id"]][record["id"]]
                for key in record["panel_ids"]:
                    self._interviews_by_panel[key].pop(record["id"], None)
            case "score_cards":
                del self._score_cards_by_interview[record["interview_id"]][record["id"]]
                del self._score_cards_by_interview_by[record["interview_id"], record["by_id"]][record["id"]]
            case "offers":
                del self._offers_by_application[record["application_id"]][record["id"]]
                del self._offers_by_application_status[record["application_id"], record["status"]][record["id"]]
