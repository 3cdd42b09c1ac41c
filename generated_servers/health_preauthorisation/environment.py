"""Preauthorisation. Compiled from blueprint.yaml; run `envscaler build health_preauthorisation` after changing it there.

Decides which treatments a health insurer will pay, with yearly units by benefit, reviewers of several levels,
network providers, visits that use units up, deductibles and appeals.
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
    "No more units are used than were approved.",
    "Approved units stay within what the plan grants for the benefit in a year.",
    "A provider offers the treatment it is to give.",
    "Treatment is approved with network providers only.",
    "A member has one approved authorisation for a treatment at a time.",
    "A reviewer has the level that the treatment demands.",
    "An appeal is reviewed by somebody else of a higher level, or of the highest.",
    "A reviewer never has more files than they can take.",
    "Visits take place while the authorisation is valid.",
    "Nobody pays more than the deductible before the plan pays.",
    "Only approved authorisations have units.",
    "A request that was denied says why, and an approved one does not.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_authorisation",
    "assign_reviewer",
    "approve_request",
    "deny_request",
    "appeal_denial",
    "change_provider",
    "extend_validity",
    "record_visit",
    "release_units",
    "set_network",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "plans": ("name",),
    "benefits": (),
    "treatments": ("name",),
    "providers": ("name",),
    "reviewers": ("name",),
    "members": ("name",),
    "authorisations": ("number",),
    "visits": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("authorisations", "member_id"),
    ("authorisations", "number"),
    ("authorisations", "provider_id"),
    ("authorisations", "reviewer_id"),
    ("authorisations", "status"),
    ("authorisations", "treatment_id"),
    ("benefits", "category"),
    ("benefits", "plan_id"),
    ("providers", "offer_ids"),
    ("visits", "authorisation_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Plan(TypedDict):
    id: str
    name: str
    deductible: int
    own_percent: int


class Benefit(TypedDict):
    id: str
    plan_id: str
    category: Literal["therapy", "imaging", "surgery", "equipment"]
    units_a_year: int


class Treatment(TypedDict):
    id: str
    name: str
    category: Literal["therapy", "imaging", "surgery", "equipment"]
    unit_price: int
    level: int


class Provider(TypedDict):
    id: str
    name: str
    in_network: bool
    offer_ids: list[str]


class Reviewer(TypedDict):
    id: str
    name: str
    level: int
    most_files: int


class Member(TypedDict):
    id: str
    name: str
    plan_id: str
    year_from: str


class Authorisation(TypedDict):
    id: str
    number: str
    member_id: str
    treatment_id: str
    provider_id: str
    diagnosis: str | None
    urgent: bool
    asked_on: str | None
    asked_units: int
    units: int
    valid_from: str
    valid_until: str
    reviewer_id: str | None
    first_reviewer_id: str | None
    denied_for: Literal[
        "not_necessary",
        "experimental",
        "papers_missing",
        "other_treatment_first",
        "allowance_used",
        "outside_network",
    ] | None
    status: Literal["requested", "approved", "denied", "appealed", "closed"]


class Visit(TypedDict):
    id: str
    authorisation_id: str
    on: str
    units: int
    deducted: int
    shared: int


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class HealthPreauthorisation:
    """Decides which treatments a health insurer will pay, with yearly units by benefit, reviewers of
    several levels, network providers, visits that use units up, deductibles and appeals.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.benefits: dict[str, Benefit] = _copied(config.get("benefits", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.providers: dict[str, Provider] = _copied(config.get("providers", {}))
        self.reviewers: dict[str, Reviewer] = _copied(config.get("reviewers", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.authorisations: dict[str, Authorisation] = _copied(config.get("authorisations", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.now: str = config.get("now", "2026-09-15T09:45")
        self.counters: dict[str, int] = {
            "plan": len(self.plans),
            "benefit": len(self.benefits),
            "treatment": len(self.treatments),
            "provider": len(self.providers),
            "reviewer": len(self.reviewers),
            "member": len(self.members),
            "authorisation": len(self.authorisations),
            "visit": len(self.visits),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._benefits_by_plan: dict[Any, dict[str, Benefit]] = {}
        self._benefits_by_plan_category: dict[Any, dict[str, Benefit]] = {}
        self._providers_by_offers: dict[Any, dict[str, Provider]] = {}
        self._authorisations_by_lower_number: dict[Any, dict[str, Authorisation]] = {}
        self._authorisations_by_member: dict[Any, dict[str, Authorisation]] = {}
        self._authorisations_by_member_treatment: dict[Any, dict[str, Authorisation]] = {}
        self._authorisations_by_member_treatment_status: dict[Any, dict[str, Authorisation]] = {}
        self._authorisations_by_number: dict[Any, dict[str, Authorisation]] = {}
        self._authorisations_by_provider_status: dict[Any, dict[str, Authorisation]] = {}
        self._authorisations_by_reviewer: dict[Any, dict[str, Authorisation]] = {}
        self._visits_by_authorisation: dict[Any, dict[str, Visit]] = {}
        for benefit in self.benefits.values():
            self._link("benefits", benefit)
        for provider in self.providers.values():
            self._link("providers", provider)
        for authorisation in self.authorisations.values():
            self._link("authorisations", authorisation)
        for visit in self.visits.values():
            self._link("visits", visit)

    def allowance_of(self, member_id: str, category: Literal["therapy", "imaging", "surgery", "equipment"]) -> Result:
        """What a member has been granted and has left of a benefit this plan year.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            category (str): Sort of treatment that the benefit covers: therapy, imaging, surgery or equipment.

        Returns:
            dict: {"success": True, "data": {a_year, approved, room, deductible_left}} or {"success": False,
                "error": why not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        return _found(
            {
                "a_year": self._allowance(member, category),
                "approved": self._committed(member, category),
                "room": max(0, self._allowance(member, category) - self._committed(member, category)),
                "deductible_left": self._deductible_left(member),
            }
        )

    def waiting_files(
        self,
        reviewer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Requests and appeals that wait for a decision, urgent ones first, then those that have waited longest.

        Args:
            reviewer_id (str, optional): Reviewer who has the files; an id such as REVIEWER-00001. If left out, the
                files of all reviewers, and those without one, are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "authorisations": records}} or {"success": False,
                "error": why not}
        """
        reviewer = self.reviewers.get(reviewer_id) if reviewer_id is not None else None
        if reviewer_id is not None and reviewer is None:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        found = [
            a
            for a in self.authorisations.values()
            if a["status"] in ("requested", "appealed")
            and (reviewer_id is None or a["reviewer_id"] == reviewer_id)
        ]
        found.sort(
            key=lambda a: (
                -a["urgent"],
                a["asked_on"] if a["asked_on"] is not None else a["valid_from"],
                a["number"],
                _age(a),
            )
        )
        shown = [
            {
                "id": a["id"],
                "number": a["number"],
                "urgent": a["urgent"],
                "asked_on": a["asked_on"],
                "diagnosis": a["diagnosis"],
                "member": self.members[a["member_id"]]["name"],
                "treatment": self.treatments[a["treatment_id"]]["name"],
                "asked_units": a["asked_units"],
                "room": self._room(a),
                "in_network": self.providers[a["provider_id"]]["in_network"],
                "reviewer": a["reviewer_id"],
                "status": a["status"],
            }
            for a in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "authorisations": shown},
            _names((self.reviewers, "name", [row["reviewer"] for row in shown])),
        )

    def who_offers(self, treatment_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Providers of the network that offer a treatment.

        Args:
            treatment_id (str): Id of the treatment, such as TREATMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "providers": records}} or {"success": False, "error":
                why not}
        """
        treatment = self.treatments.get(treatment_id)
        if treatment is None:
            return _refused(f"There is no treatment {treatment_id!r}.")
        found = [
            p
            for p in _distinct(self._providers_by_offers.get(treatment_id, {}).values())
            if (p["in_network"] and treatment_id in p["offer_ids"])
        ]
        found.sort(key=lambda p: (p["name"], _age(p)))
        shown = [self._show_provider(p) for p in _page(found, offset)]
        return _found({"total": len(found), "providers": shown}, self._names_of_providers(shown))

    def list_plans(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only plans whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        found = [plan for plan in self.plans.values() if (name is None or name.casefold() in plan["name"].casefold())]
        return _found({"total": len(found), "plans": [{**plan} for plan in _page(found, offset)]})

    def list_benefits(
        self,
        plan_id: str | None = None,
        category: Literal["therapy", "imaging", "surgery", "equipment"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the benefits, oldest first, all of them or only some.

        Args:
            plan_id (str, optional): Only benefits of this plan.
            category (str, optional): Only benefits with this category.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "benefits": records}}
        """
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            benefit
            for benefit in self.benefits.values()
            if (plan_id is None or benefit["plan_id"] == plan_id)
            and (category is None or benefit["category"] == category)
        ]
        shown = [{**benefit} for benefit in _page(found, offset)]
        return _found({"total": len(found), "benefits": shown}, self._names_of_benefits(shown))

    def list_treatments(
        self,
        name: Text | None = None,
        category: Literal["therapy", "imaging", "surgery", "equipment"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only treatments whose name contains this text.
            category (str, optional): Only treatments with this category.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        found = [
            treatment
            for treatment in self.treatments.values()
            if (name is None or name.casefold() in treatment["name"].casefold())
            and (category is None or treatment["category"] == category)
        ]
        return _found({"total": len(found), "treatments": [{**treatment} for treatment in _page(found, offset)]})

    def list_providers(
        self,
        name: Text | None = None,
        in_network: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the providers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only providers whose name contains this text.
            in_network (bool, optional): Only providers that are in network (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "providers": records}}
        """
        found = [
            provider
            for provider in self.providers.values()
            if (name is None or name.casefold() in provider["name"].casefold())
            and (in_network is None or provider["in_network"] == in_network)
        ]
        shown = [self._show_provider(provider) for provider in _page(found, offset)]
        return _found({"total": len(found), "providers": shown}, self._names_of_providers(shown))

    def list_reviewers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviewers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only reviewers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviewers": records}}
        """
        found = [
            reviewer
            for reviewer in self.reviewers.values()
            if (name is None or name.casefold() in reviewer["name"].casefold())
        ]
        return _found(
            {"total": len(found), "reviewers": [self._show_reviewer(reviewer) for reviewer in _page(found, offset)]}
        )

    def list_members(
        self,
        name: Text | None = None,
        plan_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            plan_id (str, optional): Only members of this plan.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (plan_id is None or member["plan_id"] == plan_id)
        ]
        shown = [self._show_member(member) for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_authorisations(
        self,
        number: Text | None = None,
        member_id: str | None = None,
        treatment_id: str | None = None,
        provider_id: str | None = None,
        urgent: bool | None = None,
        reviewer_id: str | None = None,
        first_reviewer_id: str | None = None,
        denied_for: Literal[
            "not_necessary",
            "experimental",
            "papers_missing",
            "other_treatment_first",
            "allowance_used",
            "outside_network",
        ] | None = None,
        status: Literal["requested", "approved", "denied", "appealed", "closed"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the authorisations, oldest first, all of them or only some.

        Args:
            number (str, optional): Only authorisations whose number contains this text.
            member_id (str, optional): Only authorisations of this member.
            treatment_id (str, optional): Only authorisations of this treatment.
            provider_id (str, optional): Only authorisations of this provider.
            urgent (bool, optional): Only authorisations that are urgent (true) or not (false).
            reviewer_id (str, optional): Only authorisations of this reviewer.
            first_reviewer_id (str, optional): Only authorisations whose first reviewer is this reviewer.
            denied_for (str, optional): Only authorisations whose `denied_for` is this.
            status (str, optional): Only authorisations with this status.
            asked_on_from (str, optional): Only authorisations whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only authorisations whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "authorisations": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if treatment_id is not None and treatment_id not in self.treatments:
            return _refused(f"There is no treatment {treatment_id!r}.")
        if provider_id is not None and provider_id not in self.providers:
            return _refused(f"There is no provider {provider_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.reviewers:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        if first_reviewer_id is not None and first_reviewer_id not in self.reviewers:
            return _refused(f"There is no reviewer {first_reviewer_id!r}.")
        found = [
            authorisation
            for authorisation in self.authorisations.values()
            if (number is None or number.casefold() in authorisation["number"].casefold())
            and (member_id is None or authorisation["member_id"] == member_id)
            and (treatment_id is None or authorisation["treatment_id"] == treatment_id)
            and (provider_id is None or authorisation["provider_id"] == provider_id)
            and (urgent is None or authorisation["urgent"] == urgent)
            and (reviewer_id is None or authorisation["reviewer_id"] == reviewer_id)
            and (first_reviewer_id is None or authorisation["first_reviewer_id"] == first_reviewer_id)
            and (denied_for is None or authorisation["denied_for"] == denied_for)
            and (status is None or authorisation["status"] == status)
            and (
                asked_on_from is None
                or (authorisation["asked_on"] is not None and authorisation["asked_on"] >= asked_on_from)
            )
            and (
                asked_on_to is None
                or (authorisation["asked_on"] is not None and authorisation["asked_on"] <= asked_on_to)
            )
        ]
        shown = [self._show_authorisation(authorisation) for authorisation in _page(found, offset)]
        return _found({"total": len(found), "authorisations": shown}, self._names_of_authorisations(shown))

    def list_visits(
        self,
        authorisation_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            authorisation_id (str, optional): Only visits of this authorisation.
            on_from (str, optional): Only visits whose `on` is on this day or later.
            on_to (str, optional): Only visits whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if authorisation_id is not None and authorisation_id not in self.authorisations:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (authorisation_id is None or visit["authorisation_id"] == authorisation_id)
            and (on_from is None or visit["on"] >= on_from)
            and (on_to is None or visit["on"] <= on_to)
        ]
        shown = [{**visit} for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_authorisation(
        self,
        number: Text,
        member_id: str,
        treatment_id: str,
        provider_id: str,
        asked_units: Annotated[int, {"minimum": 1, "maximum": 60}],
        valid_from: Date,
        valid_until: Date,
        diagnosis: Text,
        urgent: bool = False,
    ) -> Result:
        """Take down a request for units of a treatment at a provider during some days.

        Args:
            number (str): Number of the new authorisation, not in use yet.
            member_id (str): Id of the member, such as MEMBER-00001.
            treatment_id (str): Id of the treatment, such as TREATMENT-00001.
            provider_id (str): Id of the provider, such as PROVIDER-00001.
            asked_units (int): Units of the treatment that are asked for, such as sessions, from 1 to 60.
            valid_from (str): First day of treatment, within the plan year of the member, as YYYY-MM-DD.
            valid_until (str): Last day of treatment, up to 200 days after the first, as YYYY-MM-DD.
            diagnosis (str): Illness or injury that is the reason for the treatment.
            urgent (bool): Whether the file is to be decided before those that are not urgent. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        treatment = self.treatments.get(treatment_id)
        if treatment is None:
            return _refused(f"There is no treatment {treatment_id!r}.")
        provider = self.providers.get(provider_id)
        if provider is None:
            return _refused(f"There is no provider {provider_id!r}.")
        if self._authorisations_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is an authorisation {number} already.")
        if treatment_id not in provider["offer_ids"]:
            return _refused(f"{provider['name']} does not offer {treatment['name']}.")
        if valid_from > valid_until or valid_until > _plus_days(valid_from, 200):
            return _refused("An authorisation lasts up to 200 days.")
        if member["year_from"] > valid_from or valid_from >= _add_months(member["year_from"], 12):
            return _refused(f"The plan year of {member['name']} begins on {member['year_from']}.")
        if any(
            a["status"] in ("requested", "appealed")
            for a in self._authorisations_by_member_treatment.get((member_id, treatment_id), {}).values()
        ):
            return _refused(f"{member['name']} has a request for {treatment['name']} under way.")
        self._journal = []
        authorisation: Authorisation = {
            "id": self._new_id("authorisation", "AUTHORISATION", self.authorisations),
            "number": number,
            "member_id": member_id,
            "treatment_id": treatment_id,
            "provider_id": provider_id,
            "diagnosis": diagnosis,
            "urgent": urgent,
            "asked_on": self.now[:10],
            "asked_units": asked_units,
            "units": 0,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "reviewer_id": None,
            "first_reviewer_id": None,
            "denied_for": None,
            "status": "requested",
        }
        self._add("authorisations", authorisation)
        if len(self._authorisations_by_number.get(authorisation["number"], {})) > 1:
            return self._take_back(f"There is already an authorisation with the number {authorisation['number']!r}.")
        if self._breaks_rule_1(authorisation):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_m(self.members[authorisation["member_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(authorisation):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(authorisation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(authorisation):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(authorisation):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(authorisation):
            return self._take_back(RULES[6])
        for one_reviewer in _distinct([self.reviewers.get(authorisation["reviewer_id"])]):
            if self._breaks_rule_8(one_reviewer):
                return self._take_back(RULES[7])
        if self._breaks_rule_11_a(authorisation):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_a_again(authorisation):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(authorisation):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take down request {number} of {member['name']} for {treatment['name']} (new: "
                f"authorisation {authorisation['id']})."
            ),
            "data": {"authorisation_id": authorisation["id"], **self._changes()},
        }

    def assign_reviewer(self, authorisation_id: str, reviewer_id: str) -> Result:
        """Give a request to a reviewer of sufficient level, or to another one than before.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            reviewer_id (str): Id of the reviewer, such as REVIEWER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        reviewer = self.reviewers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        if authorisation["status"] != "requested":
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if reviewer_id == authorisation["reviewer_id"]:
            return _refused(f"{reviewer['name']} has this file already.")
        if reviewer["level"] < self.treatments[authorisation["treatment_id"]]["level"]:
            return _refused(
                f"{self.treatments[authorisation['treatment_id']]['name']} needs a reviewer of level "
                f"{self.treatments[authorisation['treatment_id']]['level']}, and {reviewer['name']} has "
                f"{reviewer['level']}."
            )
        if self._reviewer_files(reviewer) >= reviewer["most_files"]:
            return _refused(f"{reviewer['name']} has {self._reviewer_files(reviewer)} files and can take no more.")
        self._journal = []
        former_reviewer_id = authorisation["reviewer_id"]
        self._put("authorisations", authorisation, "reviewer_id", reviewer_id)
        if self._breaks_rule_6(authorisation):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(authorisation):
            return self._take_back(RULES[6])
        for one_reviewer in _distinct(
            [self.reviewers.get(authorisation["reviewer_id"]), self.reviewers.get(former_reviewer_id)]
        ):
            if self._breaks_rule_8(one_reviewer):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: give {authorisation['number']} to {reviewer['name']}.",
            "data": self._changes(),
        }

    def approve_request(self, authorisation_id: str, units: Annotated[int, {"minimum": 1, "maximum": 60}]) -> Result:
        """Approve all or some of the units, as the reviewer of the file.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            units (int): Units that are approved, no more than were asked for, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        if authorisation["status"] not in ("requested", "appealed"):
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if authorisation["reviewer_id"] is None:
            return _refused(f"Authorisation {authorisation['number']} has no reviewer.")
        if units > authorisation["asked_units"]:
            return _refused(f"{authorisation['asked_units']} units were asked for.")
        if not self.providers[authorisation["provider_id"]]["in_network"]:
            return _refused(
                f"{self.providers[authorisation['provider_id']]['name']} is not in the network; change the "
                "provider first."
            )
        if units > self._room(authorisation):
            return _refused(
                f"{self.members[authorisation['member_id']]['name']} has {self._room(authorisation)} units of "
                f"{self.treatments[authorisation['treatment_id']]['category']} left this year."
            )
        other = self._meets(authorisation)
        if other is not None:
            return _refused(
                f"Authorisation {other['number']} for the same treatment is valid until {other['valid_until']}."
            )
        self._journal = []
        self._put("authorisations", authorisation, "units", units)
        self._put("authorisations", authorisation, "denied_for", None)
        self._put("authorisations", authorisation, "status", "approved")
        if self._breaks_rule_1(authorisation):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_m(self.members[authorisation["member_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(authorisation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(authorisation):
            return self._take_back(RULES[4])
        for one_reviewer in _distinct([self.reviewers.get(authorisation["reviewer_id"])]):
            if self._breaks_rule_8(one_reviewer):
                return self._take_back(RULES[7])
        if self._breaks_rule_11_a(authorisation):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(authorisation):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: approve {units} units on {authorisation['number']}.",
            "data": self._changes(),
        }

    def deny_request(
        self,
        authorisation_id: str,
        reason: Literal[
            "not_necessary",
            "experimental",
            "papers_missing",
            "other_treatment_first",
            "allowance_used",
            "outside_network",
        ],
    ) -> Result:
        """Deny a request or an appeal, as the reviewer of the file, and say why.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            reason (str): Why it is denied: not_necessary, experimental, papers_missing, other_treatment_first,
                allowance_used or outside_network.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        if authorisation["status"] not in ("requested", "appealed"):
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if authorisation["reviewer_id"] is None:
            return _refused(f"Authorisation {authorisation['number']} has no reviewer.")
        if reason == "allowance_used" and self._room(authorisation) >= authorisation["asked_units"]:
            return _refused(
                f"{self.members[authorisation['member_id']]['name']} has {self._room(authorisation)} units left "
                "this year, enough for what was asked."
            )
        if reason == "outside_network" and self.providers[authorisation["provider_id"]]["in_network"]:
            return _refused(f"{self.providers[authorisation['provider_id']]['name']} is in the network.")
        self._journal = []
        self._put("authorisations", authorisation, "denied_for", reason)
        self._put("authorisations", authorisation, "status", "denied")
        if self._breaks_rule_2_m(self.members[authorisation["member_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(authorisation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(authorisation):
            return self._take_back(RULES[4])
        for one_reviewer in _distinct([self.reviewers.get(authorisation["reviewer_id"])]):
            if self._breaks_rule_8(one_reviewer):
                return self._take_back(RULES[7])
        if self._breaks_rule_11_a(authorisation):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(authorisation):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: deny {authorisation['number']} for {reason}.",
            "data": self._changes(),
        }

    def appeal_denial(self, authorisation_id: str, reviewer_id: str) -> Result:
        """Take in an appeal against a denial, once, and give it to another reviewer of a higher level.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            reviewer_id (str): Id of the reviewer, such as REVIEWER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        reviewer = self.reviewers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        if authorisation["status"] != "denied" or authorisation["reviewer_id"] is None:
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if authorisation["first_reviewer_id"] is not None:
            return _refused(f"{authorisation['number']} was appealed before.")
        if not (
            reviewer_id != authorisation["reviewer_id"]
            and (reviewer["level"] > self.reviewers[authorisation["reviewer_id"]]["level"] or reviewer["level"] == 3)
        ):
            return _refused(
                f"The appeal needs somebody above {self.reviewers[authorisation['reviewer_id']]['name']}."
            )
        if reviewer["level"] < self.treatments[authorisation["treatment_id"]]["level"]:
            return _refused(
                f"{self.treatments[authorisation['treatment_id']]['name']} needs a reviewer of level "
                f"{self.treatments[authorisation['treatment_id']]['level']}."
            )
        if self._reviewer_files(reviewer) >= reviewer["most_files"]:
            return _refused(f"{reviewer['name']} has {self._reviewer_files(reviewer)} files and can take no more.")
        self._journal = []
        self._put("authorisations", authorisation, "first_reviewer_id", authorisation["reviewer_id"])
        former_reviewer_id = authorisation["reviewer_id"]
        self._put("authorisations", authorisation, "reviewer_id", reviewer_id)
        self._put("authorisations", authorisation, "status", "appealed")
        if self._breaks_rule_2_m(self.members[authorisation["member_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(authorisation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(authorisation):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(authorisation):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(authorisation):
            return self._take_back(RULES[6])
        for one_reviewer in _distinct(
            [self.reviewers.get(authorisation["reviewer_id"]), self.reviewers.get(former_reviewer_id)]
        ):
            if self._breaks_rule_8(one_reviewer):
                return self._take_back(RULES[7])
        if self._breaks_rule_11_a(authorisation):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(authorisation):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take in the appeal on {authorisation['number']} for {reviewer['name']}.",
            "data": self._changes(),
        }

    def change_provider(self, authorisation_id: str, provider_id: str) -> Result:
        """Let another provider of the network give what is left of a treatment.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            provider_id (str): Id of the provider, such as PROVIDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        provider = self.providers.get(provider_id)
        if provider is None:
            return _refused(f"There is no provider {provider_id!r}.")
        if authorisation["status"] not in ("requested", "approved", "appealed"):
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if provider_id == authorisation["provider_id"]:
            return _refused(f"{provider['name']} is the provider already.")
        if authorisation["treatment_id"] not in provider["offer_ids"]:
            return _refused(
                f"{provider['name']} does not offer {self.treatments[authorisation['treatment_id']]['name']}."
            )
        if not provider["in_network"]:
            return _refused(f"{provider['name']} is not in the network.")
        if authorisation["status"] == "approved" and self._authorisation_left(authorisation) <= 0:
            return _refused(f"Every unit of {authorisation['number']} is used.")
        self._journal = []
        self._put("authorisations", authorisation, "provider_id", provider_id)
        if self._breaks_rule_3(authorisation):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(authorisation):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: change the provider of {authorisation['number']} to {provider['name']}.",
            "data": self._changes(),
        }

    def extend_validity(self, authorisation_id: str, until: Date) -> Result:
        """Let an approved authorisation with units left be valid for longer.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            until (str): New last day of the authorisation, up to 120 days after the present one, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        if authorisation["status"] != "approved":
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if self._authorisation_left(authorisation) <= 0:
            return _refused(f"Every unit of {authorisation['number']} is used.")
        if authorisation["valid_until"] >= until or until > _plus_days(authorisation["valid_until"], 120):
            return _refused(
                f"{authorisation['number']} is valid until {authorisation['valid_until']}; extend it by up to 120 "
                "days."
            )
        if any(
            _overlap(
                o["valid_from"],
                _plus_days(o["valid_until"], 1),
                authorisation["valid_from"],
                _plus_days(until, 1),
            )
            for o in self._authorisations_by_member_treatment_status.get(
                (authorisation["member_id"], authorisation["treatment_id"], "approved"),
                {},
            ).values()
            if o is not authorisation
        ):
            return _refused("Another authorisation for the same treatment begins by then.")
        self._journal = []
        self._put("authorisations", authorisation, "valid_until", until)
        if self._breaks_rule_5(authorisation):
            return self._take_back(RULES[4])
        for one_visit in _distinct(self._visits_by_authorisation.get(authorisation["id"], {}).values()):
            if self._breaks_rule_9(one_visit):
                return self._take_back(RULES[8])
        if self._breaks_rule_11_a_again(authorisation):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: extend {authorisation['number']} until {until}.",
            "data": self._changes(),
        }

    def record_visit(
        self,
        authorisation_id: str,
        on: Date,
        units: Annotated[int, {"minimum": 1, "maximum": 60}],
    ) -> Result:
        """Record a visit that used units; what the member pays follows from deductible and own share.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.
            on (str): Day of the visit, not in the future, as YYYY-MM-DD.
            units (int): Units of the treatment that the visit used, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        if authorisation["status"] != "approved":
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        if on > self.now[:10]:
            return _refused(f"{on} is in the future.")
        if authorisation["valid_from"] > on or on > authorisation["valid_until"]:
            return _refused(
                f"{authorisation['number']} is valid from {authorisation['valid_from']} to "
                f"{authorisation['valid_until']}."
            )
        if units > self._authorisation_left(authorisation):
            return _refused(f"{authorisation['number']} has {self._authorisation_left(authorisation)} units left.")
        self._journal = []
        cost = self.treatments[authorisation["treatment_id"]]["unit_price"] * units
        own = min(cost, self._deductible_left(self.members[authorisation["member_id"]]))
        if not 0 <= own <= 500000:
            return self._take_back("The deducted of a visit must be between 0.00 and 5,000.00.")
        shared = _rounded(
            Fraction(
                (cost - own) * self.plans[self.members[authorisation["member_id"]]["plan_id"]]["own_percent"],
                100,
            )
        )
        if not 0 <= shared <= 9000000:
            return self._take_back("The shared of a visit must be between 0.00 and 90,000.00.")
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "authorisation_id": authorisation_id,
            "on": on,
            "units": units,
            "deducted": own,
            "shared": shared,
        }
        self._add("visits", visit)
        if self._breaks_rule_1(self.authorisations[visit["authorisation_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.members[self.authorisations[visit["authorisation_id"]]["member_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record {units} units on {authorisation['number']} for {on} (new: visit {visit['id']})."
            ),
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def release_units(self, authorisation_id: str) -> Result:
        """Close an authorisation; the units that were not used count for the yearly allowance no more.

        Args:
            authorisation_id (str): Id of the authorisation, such as AUTHORISATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        authorisation = self.authorisations.get(authorisation_id)
        if authorisation is None:
            return _refused(f"There is no authorisation {authorisation_id!r}.")
        if authorisation["status"] != "approved":
            return _refused(f"Authorisation {authorisation['number']} is {authorisation['status']}.")
        self._journal = []
        units = self._authorisation_used(authorisation)
        if not 0 <= units <= 60:
            return self._take_back(f"The units of {authorisation['number']} must be between 0 and 60.")
        self._put("authorisations", authorisation, "units", units)
        self._put("authorisations", authorisation, "status", "closed")
        if self._breaks_rule_1(authorisation):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_m(self.members[authorisation["member_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(authorisation):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(authorisation):
            return self._take_back(RULES[4])
        for one_reviewer in _distinct([self.reviewers.get(authorisation["reviewer_id"])]):
            if self._breaks_rule_8(one_reviewer):
                return self._take_back(RULES[7])
        if self._breaks_rule_11_a(authorisation):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(authorisation):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: close {authorisation['number']}.", "data": self._changes()}

    def set_network(self, provider_id: str, in_network: bool) -> Result:
        """Take a provider into the network, or out of it once nothing approved is open there.

        Args:
            provider_id (str): Id of the provider, such as PROVIDER-00001.
            in_network (bool): Whether the provider is to belong to the network from now on.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        provider = self.providers.get(provider_id)
        if provider is None:
            return _refused(f"There is no provider {provider_id!r}.")
        if in_network == provider["in_network"]:
            return _refused("That is how it is already.")
        if not (in_network or not self._authorisations_by_provider_status.get((provider_id, "approved"), {})):
            return _refused(
                f"{len(self._authorisations_by_provider_status.get((provider_id, 'approved'), {}))} approved "
                f"authorisations are with {provider['name']}; change their provider or close them first."
            )
        self._journal = []
        self._put("providers", provider, "in_network", in_network)
        for one_authorisation in _distinct(
            self._authorisations_by_provider_status.get((provider["id"], "approved"), {}).values()
        ):
            if self._breaks_rule_4(one_authorisation):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: change the network status of {provider['name']}.",
            "data": self._changes(),
        }

    def _show_provider(self, provider: Provider) -> dict[str, Any]:
        """The provider as an answer shows it."""
        return {**provider, "offer_ids": [*provider["offer_ids"]]}

    def _show_reviewer(self, reviewer: Reviewer) -> dict[str, Any]:
        """The reviewer as an answer shows it."""
        return {**reviewer, "files": self._reviewer_files(reviewer)}

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "own_so_far": self._member_own_so_far(member)}

    def _show_authorisation(self, authorisation: Authorisation) -> dict[str, Any]:
        """The authorisation as an answer shows it."""
        return {
            **authorisation,
            "used": self._authorisation_used(authorisation),
            "left": self._authorisation_left(authorisation),
        }

    def _names_of_benefits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that benefits point to."""
        return _names((self.plans, "name", [row["plan_id"] for row in shown]))

    def _names_of_providers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that providers point to."""
        return _names((self.treatments, "name", [each for row in shown for each in row["offer_ids"]]))

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names((self.plans, "name", [row["plan_id"] for row in shown]))

    def _names_of_authorisations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that authorisations point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.treatments, "name", [row["treatment_id"] for row in shown]),
            (self.providers, "name", [row["provider_id"] for row in shown]),
            (self.reviewers, "name", [row["reviewer_id"] for row in shown]),
            (self.reviewers, "name", [row["first_reviewer_id"] for row in shown]),
        )

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names((self.authorisations, "number", [row["authorisation_id"] for row in shown]))

    def _reviewer_files(self, reviewer: Reviewer) -> int:
        """The files of a reviewer."""
        return sum(
            1
            for a in self._authorisations_by_reviewer.get(reviewer["id"], {}).values()
            if a["status"] in ("requested", "appealed")
        )

    def _member_own_so_far(self, member: Member) -> int:
        """The own so far of a member."""
        return sum(
            v["deducted"]
            for _authorisation in self._authorisations_by_member.get(member["id"], {}).values()
            for v in self._visits_by_authorisation.get(_authorisation["id"], {}).values()
        )

    def _authorisation_used(self, authorisation: Authorisation) -> int:
        """The used of an authorisation."""
        return sum(v["units"] for v in self._visits_by_authorisation.get(authorisation["id"], {}).values())

    def _authorisation_left(self, authorisation: Authorisation) -> int:
        """The left of an authorisation."""
        return (
            authorisation["units"]
            - sum(v["units"] for v in self._visits_by_authorisation.get(authorisation["id"], {}).values())
        )

    def _allowance(self, m: Member, category: str) -> int:
        return (
            min(
                [
                    ((b["id"],), b["units_a_year"])
                    for b in sorted(
                        self._benefits_by_plan_category.get((m["plan_id"], category), {}).values(),
                        key=_age,
                    )
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1]
            if min(
                [
                    ((b["id"],), b["units_a_year"])
                    for b in sorted(
                        self._benefits_by_plan_category.get((m["plan_id"], category), {}).values(),
                        key=_age,
                    )
                ],
                key=lambda pair: pair[0],
                default=(None, None),
            )[1] is not None
            else 0
        )

    def _committed(self, m: Member, category: str) -> int:
        return sum(
            a["units"]
            for a in self._authorisations_by_member.get(m["id"], {}).values()
            if self.treatments[a["treatment_id"]]["category"] == category
            and a["status"] in ("approved", "closed")
        )

    def _room(self, a: Authorisation) -> int:
        return max(
            0,
            self._allowance(
                self.members[a["member_id"]],
                self.treatments[a["treatment_id"]]["category"],
            ) - self._committed(self.members[a["member_id"]], self.treatments[a["treatment_id"]]["category"]),
        )

    def _meets(self, a: Authorisation) -> Authorisation | None:
        return next(
            (
                o
                for o in sorted(
                    self._authorisations_by_member_treatment_status.get(
                        (a["member_id"], a["treatment_id"], "approved"),
                        {},
                    ).values(),
                    key=_age,
                )
                if o is not a
                and _overlap(
                    o["valid_from"],
                    _plus_days(o["valid_until"], 1),
                    a["valid_from"],
                    _plus_days(a["valid_until"], 1),
                )
            ),
            None,
        )

    def _deductible_left(self, m: Member) -> int:
        return max(0, self.plans[m["plan_id"]]["deductible"] - self._member_own_so_far(m))

    def _breaks_rule_1(self, a: Authorisation) -> bool:
        """Whether this is broken: no more units are used than were approved."""
        return self._authorisation_left(a) < 0

    def _breaks_rule_2_m(self, m: Member) -> bool:
        """Whether this is broken: approved units stay within what the plan grants for the benefit in a year."""
        return any(
            sum(
                a["units"]
                for a in self._authorisations_by_member.get(m["id"], {}).values()
                if self.treatments[a["treatment_id"]]["category"] == b["category"]
                and a["status"] in ("approved", "closed")
            ) > b["units_a_year"]
            for b in self._benefits_by_plan.get(m["plan_id"], {}).values()
        )

    def _breaks_rule_3(self, a: Authorisation) -> bool:
        """Whether this is broken: a provider offers the treatment it is to give."""
        return a["treatment_id"] not in self.providers[a["provider_id"]]["offer_ids"]

    def _breaks_rule_4(self, a: Authorisation) -> bool:
        """Whether this is broken: treatment is approved with network providers only."""
        return a["status"] == "approved" and not self.providers[a["provider_id"]]["in_network"]

    def _breaks_rule_5(self, a: Authorisation) -> bool:
        """Whether this is broken: a member has one approved authorisation for a treatment at a time."""
        return (
            a["status"] == "approved"
            and any(
                _overlap(
                    a["valid_from"],
                    _plus_days(a["valid_until"], 1),
                    b["valid_from"],
                    _plus_days(b["valid_until"], 1),
                )
                for b in self._authorisations_by_member_treatment_status.get(
                    (a["member_id"], a["treatment_id"], "approved"),
                    {},
                ).values()
                if a is not b
            )
        )

    def _breaks_rule_6(self, a: Authorisation) -> bool:
        """Whether this is broken: a reviewer has the level that the treatment demands."""
        return (
            a["reviewer_id"] is not None
            and self.reviewers[a["reviewer_id"]]["level"] < self.treatments[a["treatment_id"]]["level"]
        )

    def _breaks_rule_7(self, a: Authorisation) -> bool:
        """Whether this is broken: an appeal is reviewed by somebody else of a higher level, or of the highest."""
        return not (
            a["first_reviewer_id"] is None
            or a["reviewer_id"] is not None
            and a["reviewer_id"] != a["first_reviewer_id"]
            and (
                self.reviewers[a["reviewer_id"]]["level"] > self.reviewers[a["first_reviewer_id"]]["level"]
                or self.reviewers[a["reviewer_id"]]["level"] == 3
            )
        )

    def _breaks_rule_8(self, r: Reviewer) -> bool:
        """Whether this is broken: a reviewer never has more files than they can take."""
        return self._reviewer_files(r) > r["most_files"]

    def _breaks_rule_9(self, v: Visit) -> bool:
        """Whether this is broken: visits take place while the authorisation is valid."""
        return (
            self.authorisations[v["authorisation_id"]]["valid_from"] > v["on"]
            or v["on"] > self.authorisations[v["authorisation_id"]]["valid_until"]
        )

    def _breaks_rule_10(self, m: Member) -> bool:
        """Whether this is broken: nobody pays more than the deductible before the plan pays."""
        return self._member_own_so_far(m) > self.plans[m["plan_id"]]["deductible"]

    def _breaks_rule_11_a(self, a: Authorisation) -> bool:
        """Whether this is broken: only approved authorisations have units."""
        return a["units"] != 0 and a["status"] not in ("approved", "closed")

    def _breaks_rule_11_a_again(self, a: Authorisation) -> bool:
        """Whether this is broken: only approved authorisations have units."""
        return a["valid_from"] > a["valid_until"]

    def _breaks_rule_12(self, a: Authorisation) -> bool:
        """Whether this is broken: a request that was denied says why, and an approved one does not."""
        return not (
            (a["denied_for"] is None or a["status"] in ("denied", "appealed"))
            and (a["denied_for"] is not None or a["status"] not in ("denied", "appealed"))
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
            case "benefits":
                self._benefits_by_plan.setdefault(record["plan_id"], {})[record["id"]] = record
                self._benefits_by_plan_category.setdefault(
                    (record["plan_id"], record["category"]),
                    {},
                )[record["id"]] = record
            case "providers":
                for key in record["offer_ids"]:
                    self._providers_by_offers.setdefault(key, {})[record["id"]] = record
            case "authorisations":
                self._authorisations_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._authorisations_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._authorisations_by_member_treatment.setdefault(
                    (record["member_id"], record["treatment_id"]),
                    {},
                )[record["id"]] = record
                self._authorisations_by_member_treatment_status.setdefault(
                    (record["member_id"], record["treatment_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._authorisations_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._authorisations_by_provider_status.setdefault(
                    (record["provider_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._authorisations_by_reviewer.setdefault(record["reviewer_id"], {})[record["id"]] = record
            case "visits":
                self._visits_by_authorisation.setdefault(record["authorisation_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "benefits":
                del self._benefits_by_plan[record["plan_id"]][record["id"]]
                del self._benefits_by_plan_category[record["plan_id"], record["category"]][record["id"]]
            case "providers":
                for key in record["offer_ids"]:
                    self._providers_by_offers[key].pop(record["id"], None)
            case "authorisations":
                del self._authorisations_by_lower_number[record["number"].lower()][record["id"]]
                del self._authorisations_by_member[record["member_id"]][record["id"]]
                del self._authorisations_by_member_treatment[record["member_id"], record["treatment_id"]][record["id"]]
                del self._authorisations_by_member_treatment_status[
                    record["member_id"],
                    record["treatment_id"],
                    record["status"],
                ][record["id"]]
                del self._authorisations_by_number[record["number"]][record["id"]]
                del self._authorisations_by_provider_status[record["provider_id"], record["status"]][record["id"]]
                del self._authorisations_by_reviewer[record["reviewer_id"]][record["id"]]
            case "visits":
                del self._visits_by_authorisation[record["authorisation_id"]][record["id"]]
