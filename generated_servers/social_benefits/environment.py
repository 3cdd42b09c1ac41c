"""Social benefits. Compiled from blueprint.yaml; run `envscaler build social_benefits` after changing it there.

Grants benefits to households by their members and income, pays them month by month, follows changes of
circumstances and recovers overpayments in instalments.
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
    "Awards of one benefit to one household never overlap.",
    "A household never has two benefits at a time of which one excludes the other.",
    "A household with a running award has a member who was of age when it began.",
    "Nobody has two incomes of the same source at a time.",
    "A month is paid once, inside the period of its award.",
    "At most a quarter of a payment is kept back for recovery.",
    "No more is recovered than was overpaid, and what is cleared is recovered in full.",
    "An overpayment is recovered only with an agreed instalment.",
    "A debt is written off by a caseworker within their limit, and never by the one in charge of the household.",
    "A suspended award says why, and no other award is suspended.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "grant_award",
    "report_income",
    "move_member",
    "reassess_award",
    "pay_month",
    "agree_instalments",
    "write_off",
    "suspend_award",
    "resume_award",
    "renew_award",
    "end_award",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "benefits": ("name",),
    "caseworkers": ("name",),
    "households": ("name",),
    "members": ("name",),
    "incomes": (),
    "awards": (),
    "payments": (),
    "overpayments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("awards", "benefit_id"),
    ("awards", "household_id"),
    ("awards", "status"),
    ("incomes", "member_id"),
    ("incomes", "source"),
    ("members", "household_id"),
    ("overpayments", "award_id"),
    ("overpayments", "status"),
    ("payments", "award_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Benefit(TypedDict):
    id: str
    name: str
    base: int
    per_child: int
    free_income: int
    taper: int
    months: int
    excludes_id: str | None


class Caseworker(TypedDict):
    id: str
    name: str
    write_off_limit: int


class Household(TypedDict):
    id: str
    name: str
    caseworker_id: str


class Member(TypedDict):
    id: str
    name: str
    born: str
    household_id: str


class Income(TypedDict):
    id: str
    member_id: str
    source: Literal["wages", "self_employment", "pension", "maintenance"]
    monthly: int
    since: str
    ended_on: str | None


class Award(TypedDict):
    id: str
    household_id: str
    benefit_id: str
    monthly: int
    starts: str
    ends: str
    arrears: int
    suspended_for: str | None
    status: Literal["running", "suspended", "ended"]


class Payment(TypedDict):
    id: str
    award_id: str
    month: str
    due: int
    deducted: int
    paid: int


class Overpayment(TypedDict):
    id: str
    award_id: str
    amount: int
    recovered: int
    instalment: int | None
    written_off_by_id: str | None
    status: Literal["open", "recovering", "written_off", "cleared"]


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class SocialBenefits:
    """Grants benefits to households by their members and income, pays them month by month, follows changes
    of circumstances and recovers overpayments in instalments.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.benefits: dict[str, Benefit] = _copied(config.get("benefits", {}))
        self.caseworkers: dict[str, Caseworker] = _copied(config.get("caseworkers", {}))
        self.households: dict[str, Household] = _copied(config.get("households", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.incomes: dict[str, Income] = _copied(config.get("incomes", {}))
        self.awards: dict[str, Award] = _copied(config.get("awards", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.overpayments: dict[str, Overpayment] = _copied(config.get("overpayments", {}))
        self.now: str = config.get("now", "2026-06-15T09:00")
        self.counters: dict[str, int] = {
            "benefit": len(self.benefits),
            "caseworker": len(self.caseworkers),
            "household": len(self.households),
            "member": len(self.members),
            "income": len(self.incomes),
            "award": len(self.awards),
            "payment": len(self.payments),
            "overpayment": len(self.overpayments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._members_by_household: dict[Any, dict[str, Member]] = {}
        self._incomes_by_member: dict[Any, dict[str, Income]] = {}
        self._incomes_by_member_source: dict[Any, dict[str, Income]] = {}
        self._awards_by_household: dict[Any, dict[str, Award]] = {}
        self._awards_by_household_benefit: dict[Any, dict[str, Award]] = {}
        self._awards_by_household_status: dict[Any, dict[str, Award]] = {}
        self._payments_by_award: dict[Any, dict[str, Payment]] = {}
        self._overpayments_by_award: dict[Any, dict[str, Overpayment]] = {}
        self._overpayments_by_award_status: dict[Any, dict[str, Overpayment]] = {}
        for member in self.members.values():
            self._link("members", member)
        for income in self.incomes.values():
            self._link("incomes", income)
        for award in self.awards.values():
            self._link("awards", award)
        for payment in self.payments.values():
            self._link("payments", payment)
        for overpayment in self.overpayments.values():
            self._link("overpayments", overpayment)

    def entitlement_of(self, household_id: str, benefit_id: str) -> Result:
        """What a household is entitled to today under a benefit, and what follows from.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            benefit_id (str): Id of the benefit, such as BENEFIT-00001.

        Returns:
            dict: {"success": True, "data": {children, income, monthly}} or {"success": False, "error": why not}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        benefit = self.benefits.get(benefit_id)
        if benefit is None:
            return _refused(f"There is no benefit {benefit_id!r}.")
        return _found(
            {
                "children": self._children(household, self.now[:10]),
                "income": self._income_of(household),
                "monthly": self._entitlement(household, benefit, self.now[:10]),
            }
        )

    def awards_ending(
        self,
        before: Date,
        benefit_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Awards under way that end before a day, the earliest first.

        Args:
            before (str): Day before which the awards end, as YYYY-MM-DD.
            benefit_id (str, optional): Benefit that was awarded; an id such as BENEFIT-00001. If left out, awards
                of all benefits are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "awards": records}} or {"success": False, "error": why
                not}
        """
        benefit = self.benefits.get(benefit_id) if benefit_id is not None else None
        if benefit_id is not None and benefit is None:
            return _refused(f"There is no benefit {benefit_id!r}.")
        found = [
            a
            for a in self.awards.values()
            if (a["status"] != "ended" and a["ends"] < before)
            and (benefit_id is None or a["benefit_id"] == benefit_id)
        ]
        found.sort(key=lambda a: (a["ends"], a["id"], _age(a)))
        return _found(
            {
                "total": len(found),
                "awards": [
                    {
                        "id": a["id"],
                        "household": self.households[a["household_id"]]["name"],
                        "benefit": self.benefits[a["benefit_id"]]["name"],
                        "ends": a["ends"],
                        "status": a["status"],
                        "monthly": a["monthly"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def months_to_pay(
        self,
        household_id: str | None = None,
        benefit_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Running awards with a month that is due and not paid yet.

        Args:
            household_id (str, optional): Household that is to be paid; an id such as HOUSEHOLD-00001. If left out,
                awards of all households are listed.
            benefit_id (str, optional): Benefit that was awarded; an id such as BENEFIT-00001. If left out, awards
                of all benefits are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "awards": records}} or {"success": False, "error": why
                not}
        """
        household = self.households.get(household_id) if household_id is not None else None
        if household_id is not None and household is None:
            return _refused(f"There is no household {household_id!r}.")
        benefit = self.benefits.get(benefit_id) if benefit_id is not None else None
        if benefit_id is not None and benefit is None:
            return _refused(f"There is no benefit {benefit_id!r}.")
        found = [
            a
            for a in self.awards.values()
            if (a["status"] == "running" and self._next_month(a) <= self.now[:10] and self._next_month(a) < a["ends"])
            and (household_id is None or a["household_id"] == household_id)
            and (benefit_id is None or a["benefit_id"] == benefit_id)
        ]
        found.sort(key=lambda a: (self._next_month(a), a["id"], _age(a)))
        return _found(
            {
                "total": len(found),
                "awards": [
                    {
                        "id": a["id"],
                        "household": self.households[a["household_id"]]["name"],
                        "benefit": self.benefits[a["benefit_id"]]["name"],
                        "month": self._next_month(a),
                        "monthly": a["monthly"],
                        "arrears": a["arrears"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_benefits(
        self,
        name: Text | None = None,
        excludes_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the benefits, oldest first, all of them or only some.

        Args:
            name (str, optional): Only benefits whose name contains this text.
            excludes_id (str, optional): Only benefits whose excludes is this benefit.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "benefits": records}}
        """
        if excludes_id is not None and excludes_id not in self.benefits:
            return _refused(f"There is no benefit {excludes_id!r}.")
        found = [
            benefit
            for benefit in self.benefits.values()
            if (name is None or name.casefold() in benefit["name"].casefold())
            and (excludes_id is None or benefit["excludes_id"] == excludes_id)
        ]
        shown = [{**benefit} for benefit in _page(found, offset)]
        return _found({"total": len(found), "benefits": shown}, self._names_of_benefits(shown))

    def list_caseworkers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the caseworkers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only caseworkers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "caseworkers": records}}
        """
        found = [
            caseworker
            for caseworker in self.caseworkers.values()
            if (name is None or name.casefold() in caseworker["name"].casefold())
        ]
        return _found({"total": len(found), "caseworkers": [{**caseworker} for caseworker in _page(found, offset)]})

    def list_households(
        self,
        name: Text | None = None,
        caseworker_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the households, oldest first, all of them or only some.

        Args:
            name (str, optional): Only households whose name contains this text.
            caseworker_id (str, optional): Only households of this caseworker.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}}
        """
        if caseworker_id is not None and caseworker_id not in self.caseworkers:
            return _refused(f"There is no caseworker {caseworker_id!r}.")
        found = [
            household
            for household in self.households.values()
            if (name is None or name.casefold() in household["name"].casefold())
            and (caseworker_id is None or household["caseworker_id"] == caseworker_id)
        ]
        shown = [self._show_household(household) for household in _page(found, offset)]
        return _found({"total": len(found), "households": shown}, self._names_of_households(shown))

    def list_members(
        self,
        name: Text | None = None,
        household_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            household_id (str, optional): Only members of this household.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (household_id is None or member["household_id"] == household_id)
        ]
        shown = [{**member} for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_incomes(
        self,
        member_id: str | None = None,
        source: Literal["wages", "self_employment", "pension", "maintenance"] | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the incomes, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only incomes of this member.
            source (str, optional): Only incomes with this source.
            since_from (str, optional): Only incomes whose `since` is on this day or later.
            since_to (str, optional): Only incomes whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "incomes": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            income
            for income in self.incomes.values()
            if (member_id is None or income["member_id"] == member_id)
            and (source is None or income["source"] == source)
            and (since_from is None or income["since"] >= since_from)
            and (since_to is None or income["since"] <= since_to)
        ]
        shown = [{**income} for income in _page(found, offset)]
        return _found({"total": len(found), "incomes": shown}, self._names_of_incomes(shown))

    def list_awards(
        self,
        household_id: str | None = None,
        benefit_id: str | None = None,
        status: Literal["running", "suspended", "ended"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the awards, oldest first, all of them or only some.

        Args:
            household_id (str, optional): Only awards of this household.
            benefit_id (str, optional): Only awards of this benefit.
            status (str, optional): Only awards with this status.
            starts_from (str, optional): Only awards whose `starts` is on this day or later.
            starts_to (str, optional): Only awards whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "awards": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        if benefit_id is not None and benefit_id not in self.benefits:
            return _refused(f"There is no benefit {benefit_id!r}.")
        found = [
            award
            for award in self.awards.values()
            if (household_id is None or award["household_id"] == household_id)
            and (benefit_id is None or award["benefit_id"] == benefit_id)
            and (status is None or award["status"] == status)
            and (starts_from is None or award["starts"] >= starts_from)
            and (starts_to is None or award["starts"] <= starts_to)
        ]
        shown = [{**award} for award in _page(found, offset)]
        return _found({"total": len(found), "awards": shown}, self._names_of_awards(shown))

    def list_payments(
        self,
        award_id: str | None = None,
        month_from: Date | None = None,
        month_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            award_id (str, optional): Only payments of this award.
            month_from (str, optional): Only payments whose `month` is on this day or later.
            month_to (str, optional): Only payments whose `month` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if award_id is not None and award_id not in self.awards:
            return _refused(f"There is no award {award_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (award_id is None or payment["award_id"] == award_id)
            and (month_from is None or payment["month"] >= month_from)
            and (month_to is None or payment["month"] <= month_to)
        ]
        return _found({"total": len(found), "payments": [{**payment} for payment in _page(found, offset)]})

    def list_overpayments(
        self,
        award_id: str | None = None,
        written_off_by_id: str | None = None,
        status: Literal["open", "recovering", "written_off", "cleared"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the overpayments, oldest first, all of them or only some.

        Args:
            award_id (str, optional): Only overpayments of this award.
            written_off_by_id (str, optional): Only overpayments written off by this caseworker.
            status (str, optional): Only overpayments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "overpayments": records}}
        """
        if award_id is not None and award_id not in self.awards:
            return _refused(f"There is no award {award_id!r}.")
        if written_off_by_id is not None and written_off_by_id not in self.caseworkers:
            return _refused(f"There is no caseworker {written_off_by_id!r}.")
        found = [
            overpayment
            for overpayment in self.overpayments.values()
            if (award_id is None or overpayment["award_id"] == award_id)
            and (written_off_by_id is None or overpayment["written_off_by_id"] == written_off_by_id)
            and (status is None or overpayment["status"] == status)
        ]
        shown = [{**overpayment} for overpayment in _page(found, offset)]
        return _found({"total": len(found), "overpayments": shown}, self._names_of_overpayments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def grant_award(self, household_id: str, benefit_id: str, from_day: Date) -> Result:
        """Grant a household a benefit from the month of a day on, in the amount that members and income give.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            benefit_id (str): Id of the benefit, such as BENEFIT-00001.
            from_day (str): Any day of the first month, at most three months back, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        benefit = self.benefits.get(benefit_id)
        if benefit is None:
            return _refused(f"There is no benefit {benefit_id!r}.")
        starts = from_day[:8] + "01"
        ends = _add_months(starts, benefit["months"])
        if starts > self.now[:10] or starts < _add_months(self.now[:10], 0 - 3):
            return _refused(f"Awards begin at most three months back and not after {self.now[:10]}.")
        other = next(
            (
                a
                for a in sorted(
                    self._awards_by_household_benefit.get((household_id, benefit_id), {}).values(),
                    key=_age,
                )
                if _overlap(a["starts"], a["ends"], starts, ends)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"The {household['name']} has {benefit['name']} from {other['starts']} to {other['ends']} already."
            )
        clash = next(
            (
                a
                for a in sorted(self._awards_by_household.get(household_id, {}).values(), key=_age)
                if (
                    self.benefits[a["benefit_id"]]["excludes_id"] == benefit_id
                    or benefit["excludes_id"] == a["benefit_id"]
                )
                and _overlap(a["starts"], a["ends"], starts, ends)
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"{benefit['name']} cannot be had beside {self.benefits[clash['benefit_id']]['name']}, which runs "
                f"to {clash['ends']}, so end that award first."
            )
        if not any(
            _years(m["born"], starts) >= 18
            for m in self._members_by_household.get(household_id, {}).values()
        ):
            return _refused(f"Nobody in the {household['name']} is of age.")
        monthly = self._entitlement(household, benefit, self.now[:10])
        if monthly <= 0:
            return _refused(
                f"With an income of {_money(self._income_of(household))} the {household['name']} has no "
                f"entitlement to {benefit['name']}."
            )
        self._journal = []
        if not 0 <= monthly <= 400000:
            return self._take_back("The monthly of an award must be between 0.00 and 4,000.00.")
        award: Award = {
            "id": self._new_id("award", "AWARD", self.awards),
            "household_id": household_id,
            "benefit_id": benefit_id,
            "monthly": monthly,
            "starts": starts,
            "ends": ends,
            "arrears": 0,
            "suspended_for": None,
            "status": "running",
        }
        self._add("awards", award)
        if self._breaks_rule_1(award):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(award):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(award):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(award):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(award):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: grant {benefit['name']} to the {household['name']} from the month of {from_day} (new: "
                f"award {award['id']})."
            ),
            "data": {"award_id": award["id"], **self._changes()},
        }

    def report_income(
        self,
        member_id: str,
        source: Literal["wages", "self_employment", "pension", "maintenance"],
        monthly: Annotated[int, {"minimum": 0, "maximum": 1000000}],
        since: Date,
    ) -> Result:
        """Record that a member's income of one source is a new amount since a day; nothing ends it.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            source (str): Where the income comes from: wages, self_employment, pension or maintenance.
            monthly (int): New income a month, zero where it has ended, in cents, from 0 to 1000000.
            since (str): First day of the new amount, today at the latest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if since > self.now[:10]:
            return _refused(f"{since} is in the future.")
        if _years(member["born"], since) < 15:
            return _refused(f"{member['name']} was {_years(member['born'], since)} on {since}.")
        old = next(
            (
                i
                for i in sorted(self._incomes_by_member_source.get((member_id, source), {}).values(), key=_age)
                if i["ended_on"] is None
            ),
            None,
        )
        if old is None and monthly <= 0:
            return _refused(f"{member['name']} has no income from {source} that could end.")
        if old is not None and old["since"] >= since:
            return _refused(f"The present {source} of {member['name']} began later than {since}.")
        if old is not None and old["monthly"] == monthly:
            return _refused(f"{member['name']} has {_money(monthly)} from {source} already.")
        self._journal = []
        changed_incomes: list[Any] = []
        added_incomes: list[Any] = []
        for i in [
            i
            for i in sorted(self._incomes_by_member_source.get((member_id, source), {}).values(), key=_age)
            if i["ended_on"] is None
        ]:
            changed_incomes.append(i)
            self._put("incomes", i, "ended_on", since)
        if monthly > 0:
            if not 1 <= monthly <= 1000000:
                return self._take_back("The monthly of an income must be between 0.01 and 10,000.00.")
            income = {
                "id": self._new_id("income", "INCOME", self.incomes),
                "member_id": member_id,
                "source": source,
                "monthly": monthly,
                "since": since,
                "ended_on": None,
            }
            self._add("incomes", income)
            added_incomes.append(income)
        for one_income in _distinct([*changed_incomes, *added_incomes]):
            if self._breaks_rule_4(one_income):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: record {_money(monthly)} a month from {source} for {member['name']} since {since}.",
            "data": self._changes(),
        }

    def move_member(self, member_id: str, household_id: str) -> Result:
        """Move a person to another household.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            household_id (str): Id of the household, such as HOUSEHOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if member["household_id"] == household_id:
            return _refused(f"{member['name']} lives in the {household['name']} already.")
        if not (
            not self._awards_by_household_status.get((member["household_id"], "running"), {})
            or any(
                m is not member
                and _years(m["born"], _plus_days(self.now[:10], -365)) >= 18
                for m in self._members_by_household.get(member["household_id"], {}).values()
            )
        ):
            return _refused(
                f"{member['name']} is the last adult of the {self.households[member['household_id']]['name']}, "
                "whose awards must end first."
            )
        self._journal = []
        former_household_id = member["household_id"]
        self._put("members", member, "household_id", household_id)
        for one_award in _distinct(
            [
                *self._awards_by_household_status.get((member["household_id"], "running"), {}).values(),
                *self._awards_by_household_status.get((former_household_id, "running"), {}).values(),
            ]
        ):
            if self._breaks_rule_3(one_award):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move {member['name']} to the {household['name']}.",
            "data": self._changes(),
        }

    def reassess_award(self, award_id: str, since: Date) -> Result:
        """Work the amount of an award out again from the month of a change; what was paid too much becomes an
        overpayment, what was paid too little goes with the next payment.

        Args:
            award_id (str): Id of the award, such as AWARD-00001.
            since (str): Day of the change, today at the latest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        award = self.awards.get(award_id)
        if award is None:
            return _refused(f"There is no award {award_id!r}.")
        if award["status"] != "running":
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} is {award['status']}."
            )
        if since > self.now[:10]:
            return _refused(f"{since} is in the future.")
        month = max(since[:8] + "01", award["starts"])
        fresh = self._entitlement(
            self.households[award["household_id"]],
            self.benefits[award["benefit_id"]],
            self.now[:10],
        )
        if fresh <= 0:
            return _refused(
                f"The {self.households[award['household_id']]['name']} is no longer entitled to "
                f"{self.benefits[award['benefit_id']]['name']}, so end the award."
            )
        if fresh == award["monthly"]:
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} stays at {_money(fresh)}."
            )
        self._journal = []
        added_overpayments: list[Any] = []
        changed_payments: list[Any] = []
        affected = [
            p
            for p in sorted(self._payments_by_award.get(award_id, {}).values(), key=_age)
            if p["month"] >= month
        ]
        gap = sum(p["due"] for p in affected) - fresh * len(affected)
        if gap > 0:
            if not 1 <= gap <= 9000000:
                return self._take_back("The amount of an overpayment must be between 0.01 and 90,000.00.")
            overpayment = {
                "id": self._new_id("overpayment", "OVERPAYMENT", self.overpayments),
                "award_id": award_id,
                "amount": gap,
                "recovered": 0,
                "instalment": None,
                "written_off_by_id": None,
                "status": "open",
            }
            self._add("overpayments", overpayment)
            added_overpayments.append(overpayment)
        else:
            arrears = award["arrears"] - gap
            if not 0 <= arrears <= 9000000:
                return self._take_back(f"The arrears of {award['id']} must be between 0.00 and 90,000.00.")
            self._put("awards", award, "arrears", arrears)
        for p in list(affected):
            if not 0 <= fresh <= 400000:
                return self._take_back(f"The due of {p['id']} must be between 0.00 and 4,000.00.")
            changed_payments.append(p)
            self._put("payments", p, "due", fresh)
        if not 0 <= fresh <= 400000:
            return self._take_back(f"The monthly of {award['id']} must be between 0.00 and 4,000.00.")
        self._put("awards", award, "monthly", fresh)
        for one_payment in _distinct(changed_payments):
            if self._breaks_rule_5_p_again(one_payment):
                return self._take_back(RULES[4])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_7(one_overpayment):
                return self._take_back(RULES[6])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_8(one_overpayment):
                return self._take_back(RULES[7])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_9_o(one_overpayment):
                return self._take_back(RULES[8])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_9_o_again(one_overpayment):
                return self._take_back(RULES[8])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_9_o_again_again(one_overpayment):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: reassess the {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} since {since}."
            ),
            "data": self._changes(),
        }

    def pay_month(self, award_id: str) -> Result:
        """Pay the next month of an award with its arrears; debts of the household with an agreed instalment are
        deducted, oldest first, up to a quarter of the month.

        Args:
            award_id (str): Id of the award, such as AWARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        award = self.awards.get(award_id)
        if award is None:
            return _refused(f"There is no award {award_id!r}.")
        if award["status"] != "running":
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} is {award['status']}."
            )
        month = self._next_month(award)
        if month >= award["ends"]:
            return _refused(
                f"Every month of the {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} has been paid."
            )
        if month > self.now[:10]:
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} is paid up to {month}."
            )
        self._journal = []
        changed_overpayments: list[Any] = []
        changed_overpayments_2: list[Any] = []
        most = award["monthly"] // 4
        room = award["monthly"] // 4
        for o in sorted(
            [
                o
                for _award in self._awards_by_household.get(award["household_id"], {}).values()
                for o in self._overpayments_by_award_status.get((_award["id"], "recovering"), {}).values()
            ],
            key=lambda o: (o["id"], _age(o)),
        ):
            part = min(room, min(o["instalment"] if o["instalment"] is not None else 0, o["amount"] - o["recovered"]))
            room = room - part
            recovered = o["recovered"] + part
            if not 0 <= recovered <= 9000000:
                return self._take_back(f"The recovered of {o['id']} must be between 0.00 and 90,000.00.")
            changed_overpayments.append(o)
            self._put("overpayments", o, "recovered", recovered)
            if o["recovered"] == o["amount"]:
                if o["status"] not in ("recovering", "cleared"):
                    return self._take_back(f"Overpayment {o['id']} cannot go from {o['status']} to cleared.")
                changed_overpayments_2.append(o)
                self._put("overpayments", o, "status", "cleared")
        deducted = most - room
        if not 0 <= deducted <= 400000:
            return self._take_back("The deducted of a payment must be between 0.00 and 4,000.00.")
        paid = award["monthly"] + award["arrears"] - (most - room)
        if not 0 <= paid <= 9900000:
            return self._take_back("The paid of a payment must be between 0.00 and 99,000.00.")
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "award_id": award_id,
            "month": month,
            "due": award["monthly"],
            "deducted": deducted,
            "paid": paid,
        }
        self._add("payments", payment)
        self._put("awards", award, "arrears", 0)
        if self._breaks_rule_5_p(payment):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_p_again(payment):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(payment):
            return self._take_back(RULES[5])
        for one_overpayment in _distinct([*changed_overpayments, *changed_overpayments_2]):
            if self._breaks_rule_7(one_overpayment):
                return self._take_back(RULES[6])
        for one_overpayment in _distinct(changed_overpayments_2):
            if self._breaks_rule_8(one_overpayment):
                return self._take_back(RULES[7])
        for one_overpayment in _distinct(changed_overpayments_2):
            if self._breaks_rule_9_o(one_overpayment):
                return self._take_back(RULES[8])
        for one_overpayment in _distinct(changed_overpayments):
            if self._breaks_rule_9_o_again(one_overpayment):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: pay the next month of the {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} (new: payment {payment['id']})."
            ),
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def agree_instalments(
        self,
        overpayment_id: str,
        instalment: Annotated[int, {"minimum": 100, "maximum": 200000}],
    ) -> Result:
        """Agree the monthly instalment by which an overpayment is recovered, or change it.

        Args:
            overpayment_id (str): Id of the overpayment, such as OVERPAYMENT-00001.
            instalment (int): Amount taken back each month, at most what is left, in cents, from 100 to 200000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        overpayment = self.overpayments.get(overpayment_id)
        if overpayment is None:
            return _refused(f"There is no overpayment {overpayment_id!r}.")
        if overpayment["status"] not in ("open", "recovering"):
            return _refused(f"That overpayment is {overpayment['status']}.")
        if instalment > self._left_of(overpayment):
            return _refused(f"Only {_money(self._left_of(overpayment))} is left to recover.")
        if overpayment["instalment"] == instalment:
            return _refused(f"The instalment is {_money(instalment)} already.")
        self._journal = []
        changed_overpayments: list[Any] = []
        self._put("overpayments", overpayment, "instalment", instalment)
        if overpayment["status"] == "open":
            changed_overpayments.append(overpayment)
            self._put("overpayments", overpayment, "status", "recovering")
        for one_overpayment in _distinct(changed_overpayments):
            if self._breaks_rule_7(one_overpayment):
                return self._take_back(RULES[6])
        for one_overpayment in _distinct([overpayment, *changed_overpayments]):
            if self._breaks_rule_8(one_overpayment):
                return self._take_back(RULES[7])
        for one_overpayment in _distinct(changed_overpayments):
            if self._breaks_rule_9_o(one_overpayment):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                "Done: recover the overpayment of the "
                f"{self.households[self.awards[overpayment['award_id']]['household_id']]['name']} at "
                f"{_money(instalment)} a month."
            ),
            "data": self._changes(),
        }

    def write_off(self, overpayment_id: str, by_id: str) -> Result:
        """Write off what is left of an overpayment.

        Args:
            overpayment_id (str): Id of the overpayment, such as OVERPAYMENT-00001.
            by_id (str): Caseworker of other households whose limit covers what is left; an id such as
                CASEWORKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        overpayment = self.overpayments.get(overpayment_id)
        if overpayment is None:
            return _refused(f"There is no overpayment {overpayment_id!r}.")
        by = self.caseworkers.get(by_id)
        if by is None:
            return _refused(f"There is no caseworker {by_id!r}.")
        if overpayment["status"] not in ("open", "recovering"):
            return _refused(f"That overpayment is {overpayment['status']}.")
        if by_id == self.households[self.awards[overpayment["award_id"]]["household_id"]]["caseworker_id"]:
            return _refused(
                f"{by['name']} is in charge of the "
                f"{self.households[self.awards[overpayment['award_id']]['household_id']]['name']}, so a colleague "
                "must decide."
            )
        if self._left_of(overpayment) > by["write_off_limit"]:
            return _refused(
                f"{by['name']} may write off {_money(by['write_off_limit'])}, not "
                f"{_money(self._left_of(overpayment))}."
            )
        self._journal = []
        self._put("overpayments", overpayment, "written_off_by_id", by_id)
        self._put("overpayments", overpayment, "status", "written_off")
        if self._breaks_rule_7(overpayment):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(overpayment):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(overpayment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_o_again(overpayment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_o_again_again(overpayment):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                "Done: write off the overpayment of the "
                f"{self.households[self.awards[overpayment['award_id']]['household_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def suspend_award(self, award_id: str, reason: Text) -> Result:
        """Suspend a running award for a reason.

        Args:
            award_id (str): Id of the award, such as AWARD-00001.
            reason (str): Why the award is suspended.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        award = self.awards.get(award_id)
        if award is None:
            return _refused(f"There is no award {award_id!r}.")
        if award["status"] != "running":
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} is {award['status']}."
            )
        self._journal = []
        self._put("awards", award, "suspended_for", reason)
        self._put("awards", award, "status", "suspended")
        if self._breaks_rule_3(award):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(award):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: suspend the {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def resume_award(self, award_id: str) -> Result:
        """Let a suspended award run again; the months in between may then be paid.

        Args:
            award_id (str): Id of the award, such as AWARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        award = self.awards.get(award_id)
        if award is None:
            return _refused(f"There is no award {award_id!r}.")
        if award["status"] != "suspended":
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} is {award['status']}."
            )
        if not any(
            _years(m["born"], award["starts"]) >= 18
            for m in self._members_by_household.get(award["household_id"], {}).values()
        ):
            return _refused(
                f"Nobody in the {self.households[award['household_id']]['name']} was of age on {award['starts']}."
            )
        self._journal = []
        self._put("awards", award, "suspended_for", None)
        self._put("awards", award, "status", "running")
        if self._breaks_rule_3(award):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(award):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: resume the {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def renew_award(self, award_id: str) -> Result:
        """Renew an award that ends within two months, at the amount that holds today.

        Args:
            award_id (str): Id of the award, such as AWARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        award = self.awards.get(award_id)
        if award is None:
            return _refused(f"There is no award {award_id!r}.")
        if award["status"] != "running":
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} is {award['status']}."
            )
        if award["ends"] > _add_months(self.now[:10], 2):
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} runs to {award['ends']} and is not due for "
                "renewal."
            )
        ends = _add_months(award["ends"], self.benefits[award["benefit_id"]]["months"])
        if any(
            _overlap(a["starts"], a["ends"], award["ends"], ends)
            for a in self._awards_by_household_benefit.get((award["household_id"], award["benefit_id"]), {}).values()
            if a is not award
        ):
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} has been renewed."
            )
        if any(
            _overlap(a["starts"], a["ends"], award["ends"], ends)
            for a in self._awards_by_household.get(award["household_id"], {}).values()
            if (
                self.benefits[a["benefit_id"]]["excludes_id"] == award["benefit_id"]
                or self.benefits[award["benefit_id"]]["excludes_id"] == a["benefit_id"]
            )
        ):
            return _refused(
                f"The {self.households[award['household_id']]['name']} has another award that excludes "
                f"{self.benefits[award['benefit_id']]['name']}."
            )
        monthly = self._entitlement(
            self.households[award["household_id"]],
            self.benefits[award["benefit_id"]],
            self.now[:10],
        )
        if monthly <= 0:
            return _refused(
                f"The {self.households[award['household_id']]['name']} is no longer entitled to "
                f"{self.benefits[award['benefit_id']]['name']}."
            )
        done = f"renew the {self.benefits[award['benefit_id']]['name']} of the {self.households[award['household_id']]['name']}"
        self._journal = []
        if not 0 <= monthly <= 400000:
            return self._take_back("The monthly of an award must be between 0.00 and 4,000.00.")
        new_award: Award = {
            "id": self._new_id("award", "AWARD", self.awards),
            "household_id": award["household_id"],
            "benefit_id": award["benefit_id"],
            "monthly": monthly,
            "starts": award["ends"],
            "ends": ends,
            "arrears": 0,
            "suspended_for": None,
            "status": "running",
        }
        self._add("awards", new_award)
        if self._breaks_rule_1(new_award):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(new_award):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(new_award):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(new_award):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(new_award):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: {done} (new: award {new_award['id']}).",
            "data": {"award_id": new_award["id"], **self._changes()},
        }

    def end_award(self, award_id: str, on: Date) -> Result:
        """End an award with the month of a day, once the months before it are paid; months that were paid from then
        on become an overpayment, and arrears are paid out or set off against it.

        Args:
            award_id (str): Id of the award, such as AWARD-00001.
            on (str): Any day of the first month without benefit, today at the latest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        award = self.awards.get(award_id)
        if award is None:
            return _refused(f"There is no award {award_id!r}.")
        if award["status"] == "ended":
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} has ended."
            )
        last = on[:8] + "01"
        if last <= award["starts"]:
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} began on {award['starts']}, so it cannot end "
                "in that month or before."
            )
        if last >= award["ends"]:
            return _refused(
                f"The {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} ends on {award['ends']} anyway."
            )
        if on > self.now[:10]:
            return _refused(f"{on} is in the future.")
        if award["status"] != "suspended" and self._next_month(award) < last:
            return _refused(f"The month of {self._next_month(award)} is due and not paid yet, so pay it first.")
        self._journal = []
        added_overpayments: list[Any] = []
        added_payments: list[Any] = []
        changed_payments: list[Any] = []
        gap = (
            sum(p["due"] for p in self._payments_by_award.get(award_id, {}).values() if p["month"] >= last)
            - award["arrears"]
        )
        if gap > 0:
            if not 1 <= gap <= 9000000:
                return self._take_back("The amount of an overpayment must be between 0.01 and 90,000.00.")
            overpayment = {
                "id": self._new_id("overpayment", "OVERPAYMENT", self.overpayments),
                "award_id": award_id,
                "amount": gap,
                "recovered": 0,
                "instalment": None,
                "written_off_by_id": None,
                "status": "open",
            }
            self._add("overpayments", overpayment)
            added_overpayments.append(overpayment)
        if gap < 0:
            paid = 0 - gap
            if not 0 <= paid <= 9900000:
                return self._take_back("The paid of a payment must be between 0.00 and 99,000.00.")
            payment = {
                "id": self._new_id("payment", "PAYMENT", self.payments),
                "award_id": award_id,
                "month": self._next_month(award),
                "due": 0,
                "deducted": 0,
                "paid": paid,
            }
            self._add("payments", payment)
            added_payments.append(payment)
        self._put("awards", award, "arrears", 0)
        for p in [
            p
            for p in sorted(self._payments_by_award.get(award_id, {}).values(), key=_age)
            if p["month"] >= last
        ]:
            changed_payments.append(p)
            self._put("payments", p, "due", 0)
        self._put("awards", award, "ends", last)
        self._put("awards", award, "suspended_for", None)
        self._put("awards", award, "status", "ended")
        if self._breaks_rule_1(award):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(award):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(award):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(award):
            return self._take_back(RULES[2])
        for one_payment in _distinct(added_payments):
            if self._breaks_rule_5_p(one_payment):
                return self._take_back(RULES[4])
        for one_payment in _distinct(
            [*added_payments, *changed_payments, *self._payments_by_award.get(award["id"], {}).values()]
        ):
            if self._breaks_rule_5_p_again(one_payment):
                return self._take_back(RULES[4])
        for one_payment in _distinct(added_payments):
            if self._breaks_rule_6(one_payment):
                return self._take_back(RULES[5])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_7(one_overpayment):
                return self._take_back(RULES[6])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_8(one_overpayment):
                return self._take_back(RULES[7])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_9_o(one_overpayment):
                return self._take_back(RULES[8])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_9_o_again(one_overpayment):
                return self._take_back(RULES[8])
        for one_overpayment in _distinct(added_overpayments):
            if self._breaks_rule_9_o_again_again(one_overpayment):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(award):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: end the {self.benefits[award['benefit_id']]['name']} of the "
                f"{self.households[award['household_id']]['name']} with the month of {on}."
            ),
            "data": self._changes(),
        }

    def _show_household(self, household: Household) -> dict[str, Any]:
        """The household as an answer shows it."""
        return {**household, "debt": self._household_debt(household)}

    def _names_of_benefits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that benefits point to."""
        return _names((self.benefits, "name", [row["excludes_id"] for row in shown]))

    def _names_of_households(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that households point to."""
        return _names((self.caseworkers, "name", [row["caseworker_id"] for row in shown]))

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names((self.households, "name", [row["household_id"] for row in shown]))

    def _names_of_incomes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that incomes point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _names_of_awards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that awards point to."""
        return _names(
            (self.households, "name", [row["household_id"] for row in shown]),
            (self.benefits, "name", [row["benefit_id"] for row in shown]),
        )

    def _names_of_overpayments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that overpayments point to."""
        return _names((self.caseworkers, "name", [row["written_off_by_id"] for row in shown]))

    def _household_debt(self, household: Household) -> int:
        """The debt of a household."""
        return sum(
            o["amount"] - o["recovered"]
            for _award in self._awards_by_household.get(household["id"], {}).values()
            for o in self._overpayments_by_award.get(_award["id"], {}).values()
            if o["status"] in ("open", "recovering")
        )

    def _children(self, h: Household, d: str) -> int:
        return sum(1 for m in self._members_by_household.get(h["id"], {}).values() if _years(m["born"], d) < 18)

    def _income_of(self, h: Household) -> int:
        return sum(
            i["monthly"]
            for _member in self._members_by_household.get(h["id"], {}).values()
            for i in self._incomes_by_member.get(_member["id"], {}).values()
            if i["ended_on"] is None
        )

    def _entitlement(self, h: Household, b: Benefit, d: str) -> int:
        return max(
            0,
            b["base"] + b["per_child"] * self._children(h, d) - _rounded(
                Fraction(max(0, self._income_of(h) - b["free_income"]) * b["taper"], 100)
            ),
        )

    def _next_month(self, a: Award) -> str:
        return _add_months(a["starts"], len(self._payments_by_award.get(a["id"], {})))

    def _left_of(self, o: Overpayment) -> int:
        return o["amount"] - o["recovered"]

    def _breaks_rule_1(self, a: Award) -> bool:
        """Whether this is broken: awards of one benefit to one household never overlap."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._awards_by_household_benefit.get((a["household_id"], a["benefit_id"]), {}).values()
            if a is not b
        )

    def _breaks_rule_2_a(self, a: Award) -> bool:
        """Whether this is broken: a household never has two benefits at a time of which one excludes the other."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._awards_by_household_benefit.get(
                (a["household_id"], self.benefits[a["benefit_id"]]["excludes_id"]),
                {},
            ).values()
        )

    def _breaks_rule_2_b(self, b: Award) -> bool:
        """Whether this is broken: a household never has two benefits at a time of which one excludes the other."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for a in self._awards_by_household.get(b["household_id"], {}).values()
            if self.benefits[a["benefit_id"]]["excludes_id"] == b["benefit_id"]
        )

    def _breaks_rule_3(self, a: Award) -> bool:
        """Whether this is broken: a household with a running award has a member who was of age when it began."""
        return (
            a["status"] == "running"
            and not any(
                _years(m["born"], a["starts"]) >= 18
                for m in self._members_by_household.get(a["household_id"], {}).values()
            )
        )

    def _breaks_rule_4(self, i: Income) -> bool:
        """Whether this is broken: nobody has two incomes of the same source at a time."""
        return (
            i["ended_on"] is None
            and any(
                other_i is not i
                for other_i in self._incomes_by_member_source.get((i["member_id"], i["source"]), {}).values()
                if other_i["ended_on"] is None
            )
        )

    def _breaks_rule_5_p(self, p: Payment) -> bool:
        """Whether this is broken: a month is paid once, inside the period of its award."""
        return any(
            other_p is not p
            for other_p in self._payments_by_award.get(p["award_id"], {}).values()
            if other_p["month"] == p["month"]
        )

    def _breaks_rule_5_p_again(self, p: Payment) -> bool:
        """Whether this is broken: a month is paid once, inside the period of its award."""
        return not (
            self.awards[p["award_id"]]["starts"] <= p["month"]
            and (p["month"] < self.awards[p["award_id"]]["ends"] or p["due"] == 0)
        )

    def _breaks_rule_6(self, p: Payment) -> bool:
        """Whether this is broken: at most a quarter of a payment is kept back for recovery."""
        return p["deducted"] * 3 > p["paid"]

    def _breaks_rule_7(self, o: Overpayment) -> bool:
        """Whether this is broken: no more is recovered than was overpaid, and what is cleared is recovered in full.
        """
        return not (o["recovered"] <= o["amount"] and (o["status"] != "cleared" or o["recovered"] == o["amount"]))

    def _breaks_rule_8(self, o: Overpayment) -> bool:
        """Whether this is broken: an overpayment is recovered only with an agreed instalment."""
        return o["status"] in ("recovering", "cleared") and o["instalment"] is None

    def _breaks_rule_9_o(self, o: Overpayment) -> bool:
        """Whether this is broken: a debt is written off by a caseworker within their limit, and never by the one in
        charge of the household.
        """
        return (o["status"] == "written_off") != (o["written_off_by_id"] is not None)

    def _breaks_rule_9_o_again(self, o: Overpayment) -> bool:
        """Whether this is broken: a debt is written off by a caseworker within their limit, and never by the one in
        charge of the household.
        """
        return (
            o["written_off_by_id"] is not None
            and o["amount"] - o["recovered"] > self.caseworkers[o["written_off_by_id"]]["write_off_limit"]
        )

    def _breaks_rule_9_o_again_again(self, o: Overpayment) -> bool:
        """Whether this is broken: a debt is written off by a caseworker within their limit, and never by the one in
        charge of the household.
        """
        return (
            o["written_off_by_id"] is not None
            and o["written_off_by_id"] == self.households[self.awards[o["award_id"]]["household_id"]]["caseworker_id"]
        )

    def _breaks_rule_10(self, a: Award) -> bool:
        """Whether this is broken: a suspended award says why, and no other award is suspended."""
        return (a["status"] == "suspended") != (a["suspended_for"] is not None)

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
            case "members":
                self._members_by_household.setdefault(record["household_id"], {})[record["id"]] = record
            case "incomes":
                self._incomes_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._incomes_by_member_source.setdefault(
                    (record["member_id"], record["source"]),
                    {},
                )[record["id"]] = record
            case "awards":
                self._awards_by_household.setdefault(record["household_id"], {})[record["id"]] = record
                self._awards_by_household_benefit.setdefault(
                    (record["household_id"], record["benefit_id"]),
                    {},
                )[record["id"]] = record
                self._awards_by_household_status.setdefault(
                    (record["household_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "payments":
                self._payments_by_award.setdefault(record["award_id"], {})[record["id"]] = record
            case "overpayments":
                self._overpayments_by_award.setdefault(record["award_id"], {})[record["id"]] = record
                self._overpayments_by_award_status.setdefault(
                    (record["award_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "members":
                del self._members_by_household[record["household_id"]][record["id"]]
            case "incomes":
                del self._incomes_by_member[record["member_id"]][record["id"]]
                del self._incomes_by_member_source[record["member_id"], record["source"]][record["id"]]
            case "awards":
                del self._awards_by_household[record["household_id"]][record["id"]]
                del self._awards_by_household_benefit[record["household_id"], record["benefit_id"]][record["id"]]
                del self._awards_by_household_status[record["household_id"], record["status"]][record["id"]]
            case "payments":
                del self._payments_by_award[record["award_id"]][record["id"]]
            case "overpayments":
                del self._overpayments_by_award[record["award_id"]][record["id"]]
                del self._overpayments_by_award_status[record["award_id"], record["status"]][record["id"]]
