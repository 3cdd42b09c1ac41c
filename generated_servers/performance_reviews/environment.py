"""Performance reviews. Compiled from blueprint.yaml; run `envscaler build performance_reviews` after changing it there.

Runs the yearly reviews of a company, with weighted goals, self-assessment and ratings, grades calibrated unit
by unit against a quota, sign-off from the bottom up, bonuses from a pool and appeals.
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
    "The weights of the goals never exceed 100, and make exactly 100 once they are agreed.",
    "The goals of a review have different titles.",
    "Goals are rated only after they were agreed and the member has assessed the year.",
    "A graded review has all goals rated and a grade at most one away from the score.",
    "Once a unit is calibrated, all its reviews are graded and so are the units within it.",
    "A calibrated unit keeps within its quota of top grades.",
    "Reviews are signed in calibrated units only, and those of the people below first.",
    "A signed review says when.",
    "A bonus goes with a signed grade of 3 or better and is at most 5, 10 or 15 percent of the salary.",
    "The bonuses of a unit never exceed its pool.",
    "A review is appealed once, and an open appeal belongs to a review under appeal.",
    "An appeal is judged by somebody above the boss.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "add_goal",
    "shift_weight",
    "agree_goals",
    "assess_self",
    "rate_goals",
    "grade_review",
    "calibrate_unit",
    "sign_review",
    "award_bonus",
    "file_appeal",
    "decide_appeal",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "units": ("name",),
    "members": ("name",),
    "reviews": ("number",),
    "goals": ("title",),
    "appeals": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("appeals", "review_id"),
    ("appeals", "status"),
    ("goals", "review_id"),
    ("members", "boss_id"),
    ("members", "unit_id"),
    ("reviews", "member_id"),
    ("reviews", "status"),
    ("units", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Unit(TypedDict):
    id: str
    name: str
    within_id: str | None
    top_percent: int
    pool: int
    calibrated_on: str | None


class Member(TypedDict):
    id: str
    name: str
    unit_id: str
    boss_id: str | None
    salary: int


class Review(TypedDict):
    id: str
    number: str
    member_id: str
    own_view: int | None
    grade: int | None
    bonus: int
    signed_on: str | None
    status: Literal["planning", "agreed", "graded", "signed", "appealed"]


class Goal(TypedDict):
    id: str
    review_id: str
    title: str
    weight: int
    rating: int | None


class Appeal(TypedDict):
    id: str
    review_id: str
    reason: str
    filed_on: str
    grade_before: int
    judge_id: str | None
    status: Literal["filed", "upheld", "changed"]


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


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class PerformanceReviews:
    """Runs the yearly reviews of a company, with weighted goals, self-assessment and ratings, grades
    calibrated unit by unit against a quota, sign-off from the bottom up, bonuses from a pool and
    appeals.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.units: dict[str, Unit] = _copied(config.get("units", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.goals: dict[str, Goal] = _copied(config.get("goals", {}))
        self.appeals: dict[str, Appeal] = _copied(config.get("appeals", {}))
        self.now: str = config.get("now", "2026-02-18T09:30")
        self.counters: dict[str, int] = {
            "unit": len(self.units),
            "member": len(self.members),
            "review": len(self.reviews),
            "goal": len(self.goals),
            "appeal": len(self.appeals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._units_by_within: dict[Any, dict[str, Unit]] = {}
        self._members_by_boss: dict[Any, dict[str, Member]] = {}
        self._members_by_unit: dict[Any, dict[str, Member]] = {}
        self._reviews_by_member: dict[Any, dict[str, Review]] = {}
        self._reviews_by_status: dict[Any, dict[str, Review]] = {}
        self._goals_by_review: dict[Any, dict[str, Goal]] = {}
        self._appeals_by_review: dict[Any, dict[str, Appeal]] = {}
        self._appeals_by_review_status: dict[Any, dict[str, Appeal]] = {}
        for unit in self.units.values():
            self._link("units", unit)
        for member in self.members.values():
            self._link("members", member)
        for review in self.reviews.values():
            self._link("reviews", review)
        for goal in self.goals.values():
            self._link("goals", goal)
        for appeal in self.appeals.values():
            self._link("appeals", appeal)

    def quota_of(self, unit_id: str) -> Result:
        """How a unit stands with grades, quota and pool.

        Args:
            unit_id (str): Id of the unit, such as UNIT-00001.

        Returns:
            dict: {"success": True, "data": {reviews, graded, top_grades, top_grades_allowed, pool_left,
                units_within}} or {"success": False, "error": why not}
        """
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        return _found(
            {
                "reviews": self._heads(unit),
                "graded": sum(
                    1
                    for _member in self._members_by_unit.get(unit_id, {}).values()
                    for r in self._reviews_by_member.get(_member["id"], {}).values()
                    if self._graded(r)
                ),
                "top_grades": self._tops(unit),
                "top_grades_allowed": unit["top_percent"] * self._heads(unit) // 100,
                "pool_left": unit["pool"] - self._unit_spent(unit),
                "units_within": [*[v["name"] for v in _below(self._units_by_within, unit)]],
            }
        )

    def unfinished_planning(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Reviews whose goals are not agreed, with what is missing to 100.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}} or {"success": False, "error": why
                not}
        """
        found = [r for r in self._reviews_by_status.get("planning", {}).values()]
        found.sort(key=lambda r: (self.members[r["member_id"]]["name"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "member": self.members[r["member_id"]]["name"],
                "goals": len(self._goals_by_review.get(r["id"], {})),
                "missing": 100 - self._review_weights(r),
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "reviews": shown},
            _names((self.reviews, "number", [row["id"] for row in shown])),
        )

    def ready_to_grade(
        self,
        unit_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Reviews with all goals rated and no grade, with the grade that the score rounds to.

        Args:
            unit_id (str, optional): Unit whose own reviews are listed, without the units within it; an id such as
                UNIT-00001. If left out, the reviews of all units are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}} or {"success": False, "error": why
                not}
        """
        unit = self.units.get(unit_id) if unit_id is not None else None
        if unit_id is not None and unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        found = [
            r
            for r in self.reviews.values()
            if (r["status"] == "agreed" and self._review_unrated(r) == 0)
            and (unit_id is None or self.members[r["member_id"]]["unit_id"] == unit_id)
        ]
        found.sort(key=lambda r: (-self._review_score(r), self.members[r["member_id"]]["name"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "member": self.members[r["member_id"]]["name"],
                "score": self._review_score(r),
                "rounds_to": self._proposed(r),
                "own_view": r["own_view"],
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "reviews": shown},
            _names((self.reviews, "number", [row["id"] for row in shown])),
        )

    def ready_to_sign(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Graded reviews that can be signed now.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}} or {"success": False, "error": why
                not}
        """
        found = [
            r
            for r in self.reviews.values()
            if (
                r["status"] == "graded"
                and self.units[self.members[r["member_id"]]["unit_id"]]["calibrated_on"] is not None
            )
            and self._open_below(self.members[r["member_id"]]) is None
        ]
        found.sort(key=lambda r: (self.members[r["member_id"]]["name"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "member": self.members[r["member_id"]]["name"],
                "unit": self.units[self.members[r["member_id"]]["unit_id"]]["name"],
                "grade": r["grade"],
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "reviews": shown},
            _names((self.reviews, "number", [row["id"] for row in shown])),
        )

    def bonus_limits(self, unit_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Signed reviews of a unit with the bonus they have and the most they could get by grade and salary.

        Args:
            unit_id (str): Id of the unit, such as UNIT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}} or {"success": False, "error": why
                not}
        """
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        found = [
            r
            for r in [
                r
                for _member in self._members_by_unit.get(unit_id, {}).values()
                for r in self._reviews_by_member.get(_member["id"], {}).values()
            ]
            if (self._closed(r) and self.members[r["member_id"]]["unit_id"] == unit_id)
        ]
        found.sort(key=lambda r: (-self._review_score(r), self.members[r["member_id"]]["name"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "member": self.members[r["member_id"]]["name"],
                "grade": r["grade"],
                "score": self._review_score(r),
                "bonus": r["bonus"],
                "most": max(self._cap(r), 0),
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "reviews": shown},
            _names((self.reviews, "number", [row["id"] for row in shown])),
        )

    def list_units(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the units, oldest first, all of them or only some.

        Args:
            name (str, optional): Only units whose name contains this text.
            within_id (str, optional): Only units within this unit.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "units": records}}
        """
        if within_id is not None and within_id not in self.units:
            return _refused(f"There is no unit {within_id!r}.")
        found = [
            unit
            for unit in self.units.values()
            if (name is None or name.casefold() in unit["name"].casefold())
            and (within_id is None or unit["within_id"] == within_id)
        ]
        shown = [self._show_unit(unit) for unit in _page(found, offset)]
        return _found({"total": len(found), "units": shown}, self._names_of_units(shown))

    def list_members(
        self,
        name: Text | None = None,
        unit_id: str | None = None,
        boss_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            unit_id (str, optional): Only members of this unit.
            boss_id (str, optional): Only members whose boss is this member.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if unit_id is not None and unit_id not in self.units:
            return _refused(f"There is no unit {unit_id!r}.")
        if boss_id is not None and boss_id not in self.members:
            return _refused(f"There is no member {boss_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (unit_id is None or member["unit_id"] == unit_id)
            and (boss_id is None or member["boss_id"] == boss_id)
        ]
        shown = [{**member} for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_reviews(
        self,
        number: Text | None = None,
        member_id: str | None = None,
        status: Literal["planning", "agreed", "graded", "signed", "appealed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            number (str, optional): Only reviews whose number contains this text.
            member_id (str, optional): Only reviews of this member.
            status (str, optional): Only reviews with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (number is None or number.casefold() in review["number"].casefold())
            and (member_id is None or review["member_id"] == member_id)
            and (status is None or review["status"] == status)
        ]
        shown = [self._show_review(review) for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def list_goals(
        self,
        title: Text | None = None,
        review_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the goals, oldest first, all of them or only some.

        Args:
            title (str, optional): Only goals whose title contains this text.
            review_id (str, optional): Only goals of this review.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "goals": records}}
        """
        if review_id is not None and review_id not in self.reviews:
            return _refused(f"There is no review {review_id!r}.")
        found = [
            goal
            for goal in self.goals.values()
            if (title is None or title.casefold() in goal["title"].casefold())
            and (review_id is None or goal["review_id"] == review_id)
        ]
        shown = [{**goal} for goal in _page(found, offset)]
        return _found({"total": len(found), "goals": shown}, self._names_of_goals(shown))

    def list_appeals(
        self,
        review_id: str | None = None,
        judge_id: str | None = None,
        status: Literal["filed", "upheld", "changed"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the appeals, oldest first, all of them or only some.

        Args:
            review_id (str, optional): Only appeals of this review.
            judge_id (str, optional): Only appeals whose judge is this member.
            status (str, optional): Only appeals with this status.
            filed_on_from (str, optional): Only appeals whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only appeals whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "appeals": records}}
        """
        if review_id is not None and review_id not in self.reviews:
            return _refused(f"There is no review {review_id!r}.")
        if judge_id is not None and judge_id not in self.members:
            return _refused(f"There is no member {judge_id!r}.")
        found = [
            appeal
            for appeal in self.appeals.values()
            if (review_id is None or appeal["review_id"] == review_id)
            and (judge_id is None or appeal["judge_id"] == judge_id)
            and (status is None or appeal["status"] == status)
            and (filed_on_from is None or appeal["filed_on"] >= filed_on_from)
            and (filed_on_to is None or appeal["filed_on"] <= filed_on_to)
        ]
        shown = [self._show_appeal(appeal) for appeal in _page(found, offset)]
        return _found({"total": len(found), "appeals": shown}, self._names_of_appeals(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def add_goal(self, review_id: str, title: Text, weight: Annotated[int, {"minimum": 5, "maximum": 95}]) -> Result:
        """Add a goal to a review that is being planned.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            title (str): What the member is to reach, in a few words.
            weight (int): Weight of the goal, out of 100 for all goals of the review, from 5 to 95.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] != "planning":
            return _refused(f"The goals of {self.members[review['member_id']]['name']} are agreed.")
        if self._review_weights(review) + weight > 100:
            return _refused(
                f"{self.members[review['member_id']]['name']} has goals with a weight of "
                f"{self._review_weights(review)}, so {100 - self._review_weights(review)} are left."
            )
        if any(g["title"].lower() == title.lower() for g in self._goals_by_review.get(review_id, {}).values()):
            return _refused(f"{self.members[review['member_id']]['name']} has a goal {title} already.")
        self._journal = []
        goal: Goal = {
            "id": self._new_id("goal", "GOAL", self.goals),
            "review_id": review_id,
            "title": title,
            "weight": weight,
            "rating": None,
        }
        self._add("goals", goal)
        if self._breaks_rule_1(self.reviews[goal["review_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(goal):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(goal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.reviews[goal["review_id"]]):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: add the goal {title} with weight {weight} for {self.members[review['member_id']]['name']} "
                f"(new: goal {goal['id']})."
            ),
            "data": {"goal_id": goal["id"], **self._changes()},
        }

    def shift_weight(
        self,
        giver_id: str,
        taker_id: str,
        points: Annotated[int, {"minimum": 1, "maximum": 95}],
    ) -> Result:
        """Shift weight from one goal to another of the same review before either is rated; a goal that gives all its
        weight is dropped.

        Args:
            giver_id (str): Goal that loses the weight, dropped when it gives all; an id such as GOAL-00001.
            taker_id (str): Goal of the same review that gains the weight; an id such as GOAL-00001.
            points (int): Weight to shift, out of 100 for all goals of the review, from 1 to 95.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.goals.get(giver_id)
        if giver is None:
            return _refused(f"There is no goal {giver_id!r}.")
        taker = self.goals.get(taker_id)
        if taker is None:
            return _refused(f"There is no goal {taker_id!r}.")
        if giver["review_id"] != taker["review_id"] or giver is taker:
            return _refused("Weight is shifted between two goals of one review.")
        if giver["rating"] is not None or taker["rating"] is not None:
            return _refused("One of the goals has been rated.")
        if points > giver["weight"]:
            return _refused(f"{giver['title']} weighs {giver['weight']}, not {points}.")
        if points != giver["weight"] and giver["weight"] - points < 5:
            return _refused(
                f"A goal weighs at least 5, so shift up to {giver['weight'] - 5} or all {giver['weight']}."
            )
        if taker["weight"] + points > 95:
            return _refused("A goal weighs at most 95.")
        self._journal = []
        deleted_goals: list[Any] = []
        changed_goals: list[Any] = []
        weight = taker["weight"] + points
        if not 5 <= weight <= 95:
            return self._take_back(f"The weight of {taker['title']} must be between 5 and 95.")
        self._put("goals", taker, "weight", weight)
        if points == giver["weight"]:
            if giver["id"] in self.goals:
                self._remove("goals", giver)
            deleted_goals.append(giver)
        else:
            new_weight = giver["weight"] - points
            if not 5 <= new_weight <= 95:
                return self._take_back(f"The weight of {giver['title']} must be between 5 and 95.")
            changed_goals.append(giver)
            if giver["id"] in self.goals:
                self._put("goals", giver, "weight", new_weight)
        for one_review in _distinct(
            [
                self.reviews[taker["review_id"]],
                *[self.reviews[one["review_id"]] for one in deleted_goals],
                *[self.reviews[one["review_id"]] for one in changed_goals],
            ]
        ):
            if self._breaks_rule_1(one_review):
                return self._take_back(RULES[0])
        for one_review in _distinct(
            [
                self.reviews[taker["review_id"]],
                *[self.reviews[one["review_id"]] for one in deleted_goals],
                *[self.reviews[one["review_id"]] for one in changed_goals],
            ]
        ):
            if self._breaks_rule_4(one_review):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: shift {points} points from {giver['title']} to {taker['title']}.",
            "data": self._changes(),
        }

    def agree_goals(self, review_id: str) -> Result:
        """Agree the goals of a review, whose weights must make 100.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] != "planning":
            return _refused(f"The goals of {self.members[review['member_id']]['name']} are agreed already.")
        if len(self._goals_by_review.get(review_id, {})) < 2:
            return _refused(f"{self.members[review['member_id']]['name']} needs at least two goals.")
        if self._review_weights(review) != 100:
            return _refused(
                f"The goals of {self.members[review['member_id']]['name']} weigh {self._review_weights(review)}, "
                "not 100."
            )
        self._journal = []
        self._put("reviews", review, "status", "agreed")
        if self._breaks_rule_1(review):
            return self._take_back(RULES[0])
        for one_goal in _distinct(self._goals_by_review.get(review["id"], {}).values()):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(review):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.units[self.members[review["member_id"]]["unit_id"]]):
            return self._take_back(RULES[4])
        for one_review in _distinct(
            [
                review,
                *[
                    user
                    for one in [self.members.get(self.members[review["member_id"]]["boss_id"])]
                    if one is not None
                    for user in self._reviews_by_member.get(self.members[review["member_id"]]["boss_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_review):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(review):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(review):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_r(review):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: agree the goals of {self.members[review['member_id']]['name']}.",
            "data": self._changes(),
        }

    def assess_self(self, review_id: str, view: Annotated[int, {"minimum": 1, "maximum": 5}]) -> Result:
        """Enter how the member sees their own year, from 1 (poor) to 5 (outstanding).

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            view (int): How the member rates their own year, 5 being outstanding, from 1 to 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] != "agreed":
            return _refused(f"The review of {self.members[review['member_id']]['name']} is {review['status']}.")
        if review["own_view"] is not None:
            return _refused(
                f"{self.members[review['member_id']]['name']} has assessed the year with {review['own_view']}."
            )
        self._journal = []
        self._put("reviews", review, "own_view", view)
        for one_goal in _distinct(self._goals_by_review.get(review["id"], {}).values()):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: enter {view} as the self-assessment of {self.members[review['member_id']]['name']}.",
            "data": self._changes(),
        }

    def rate_goals(
        self,
        review_id: str,
        rating: Annotated[int, {"minimum": 1, "maximum": 5}] | None = None,
        apart_id: str | None = None,
        apart_rating: Annotated[int, {"minimum": 1, "maximum": 5}] | None = None,
    ) -> Result:
        """Enter the boss's rating of the goals that have none, from 1 to 5, or the rating of a single goal apart,
        which may also correct one before the review is graded.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            rating (int, optional): Rating for every goal of the review that has none, 5 being outstanding, from 1
                to 5. If left out, only the goal apart is rated.
            apart_id (str, optional): Single goal of the review with a rating of its own, or a corrected one; an id
                such as GOAL-00001. If left out, no goal is rated apart.
            apart_rating (int, optional): Rating of the goal apart, given only together with that goal, from 1 to
                5. If left out, no goal is rated apart.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        apart = self.goals.get(apart_id) if apart_id is not None else None
        if apart_id is not None and apart is None:
            return _refused(f"There is no goal {apart_id!r}.")
        if review["status"] != "agreed":
            return _refused(f"The review of {self.members[review['member_id']]['name']} is {review['status']}.")
        if review["own_view"] is None:
            return _refused(f"{self.members[review['member_id']]['name']} has not assessed the year yet.")
        if rating is None and apart_id is None:
            return _refused("Give a rating for all the goals that have none, or name a goal apart.")
        if rating is not None and self._review_unrated(review) <= 0:
            return _refused(
                f"All goals of {self.members[review['member_id']]['name']} are rated; to correct one, name only "
                "that goal."
            )
        if (apart_id is None) != (apart_rating is None):
            return _refused("A goal apart comes with a rating of its own.")
        if apart_id is not None and apart["review_id"] != review_id:
            return _refused("The goal apart is one of the same review.")
        if apart_id is not None and apart["rating"] is not None and apart["rating"] == apart_rating:
            return _refused(f"That goal is rated {apart_rating if apart_rating is not None else 0} already.")
        self._journal = []
        changed_goals: list[Any] = []
        for g in [
            g
            for g in sorted(self._goals_by_review.get(review_id, {}).values(), key=_age)
            if (g is apart or g["rating"] is None and rating is not None)
        ]:
            if g is apart:
                changed_goals.append(g)
                self._put("goals", g, "rating", apart_rating)
            else:
                changed_goals.append(g)
                self._put("goals", g, "rating", rating)
        for one_goal in _distinct(changed_goals):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        for one_review in _distinct([self.reviews[one["review_id"]] for one in changed_goals]):
            if self._breaks_rule_4(one_review):
                return self._take_back(RULES[3])
        done = f"rate the goals of {self.members[review['member_id']]['name']}"
        if rating is not None:
            done += f" with {rating}"
        if apart_rating is not None:
            done += f", one of them with {apart_rating}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def grade_review(self, review_id: str, grade: Annotated[int, {"minimum": 1, "maximum": 5}]) -> Result:
        """Grade a review whose goals are all rated, or lower the grade before the unit is calibrated; the score is in
        hundredths of a grade.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            grade (int): Grade of the whole review, close to its score, 5 being the best, from 1 to 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] not in ("agreed", "graded"):
            return _refused(f"The review of {self.members[review['member_id']]['name']} is {review['status']}.")
        if self._review_unrated(review) != 0:
            return _refused(
                f"{self._review_unrated(review)} goals of {self.members[review['member_id']]['name']} have not "
                "been rated."
            )
        if self.units[self.members[review["member_id"]]["unit_id"]]["calibrated_on"] is not None:
            return _refused(
                f"{self.units[self.members[review['member_id']]['unit_id']]['name']} is calibrated, so only an "
                "appeal changes the grade."
            )
        if abs(grade * 100 - self._review_score(review)) > 100:
            return _refused(f"{grade} is too far from the score of {self._review_score(review)}.")
        if review["grade"] is not None and grade >= review["grade"]:
            return _refused(
                f"{self.members[review['member_id']]['name']} has {review['grade']}; before calibration a grade "
                "is only lowered."
            )
        self._journal = []
        changed_reviews: list[Any] = []
        self._put("reviews", review, "grade", grade)
        if review["status"] == "agreed":
            changed_reviews.append(review)
            self._put("reviews", review, "status", "graded")
        for one_review in _distinct(changed_reviews):
            if self._breaks_rule_1(one_review):
                return self._take_back(RULES[0])
        for one_goal in _distinct(
            [user for one in changed_reviews for user in self._goals_by_review.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        for one_review in _distinct([review, *changed_reviews]):
            if self._breaks_rule_4(one_review):
                return self._take_back(RULES[3])
        for one_unit in _distinct(
            [self.units[one["unit_id"]] for one in [self.members[one["member_id"]] for one in changed_reviews]]
        ):
            if self._breaks_rule_5(one_unit):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(self.units[self.members[review["member_id"]]["unit_id"]]):
            return self._take_back(RULES[5])
        for one_review in _distinct(
            [
                *changed_reviews,
                *[
                    user
                    for one in [
                        self.members.get(one["boss_id"])
                        for one in [self.members[one["member_id"]] for one in changed_reviews]
                    ]
                    if one is not None
                    for user in self._reviews_by_member.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_review):
                return self._take_back(RULES[6])
        for one_review in _distinct(changed_reviews):
            if self._breaks_rule_8(one_review):
                return self._take_back(RULES[7])
        for one_review in _distinct([review, *changed_reviews]):
            if self._breaks_rule_9(one_review):
                return self._take_back(RULES[8])
        for one_review in _distinct(changed_reviews):
            if self._breaks_rule_11_r(one_review):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: grade {self.members[review['member_id']]['name']} with {grade}.",
            "data": self._changes(),
        }

    def calibrate_unit(self, unit_id: str) -> Result:
        """Calibrate a unit, which fixes its grades, after the units within it.

        Args:
            unit_id (str): Id of the unit, such as UNIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        if unit["calibrated_on"] is not None:
            return _refused(f"{unit['name']} is calibrated already.")
        sub = next((v for v in _below(self._units_by_within, unit) if v["calibrated_on"] is None), None)
        if sub is not None:
            return _refused(f"{sub['name']} lies within {unit['name']} and is not calibrated.")
        lacking = self._ungraded_in(unit)
        if lacking is not None:
            return _refused(f"{self.members[lacking['member_id']]['name']} has no grade.")
        if self._top_room(unit) < 0:
            return _refused(
                f"{unit['name']} has {0 - self._top_room(unit)} top grades more than its quota of "
                f"{unit['top_percent']} percent allows."
            )
        self._journal = []
        self._put("units", unit, "calibrated_on", self.now[:10])
        for one_unit in _distinct([unit, *_above(self.units, unit, "within_id")]):
            if self._breaks_rule_5(one_unit):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(unit):
            return self._take_back(RULES[5])
        for one_review in _distinct(
            [
                user
                for one in self._members_by_unit.get(unit["id"], {}).values()
                for user in self._reviews_by_member.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_7(one_review):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: calibrate {unit['name']}.", "data": self._changes()}

    def sign_review(self, review_id: str) -> Result:
        """Sign off a graded review in a calibrated unit, after those of the people who report to the member.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] != "graded":
            return _refused(f"The review of {self.members[review['member_id']]['name']} is {review['status']}.")
        if self.units[self.members[review["member_id"]]["unit_id"]]["calibrated_on"] is None:
            return _refused(f"{self.units[self.members[review['member_id']]['unit_id']]['name']} is not calibrated.")
        waiting = self._open_below(self.members[review["member_id"]])
        if waiting is not None:
            return _refused(
                f"The review of {self.members[waiting['member_id']]['name']}, who reports to "
                f"{self.members[review['member_id']]['name']}, is not signed."
            )
        self._journal = []
        self._put("reviews", review, "signed_on", self.now[:10])
        self._put("reviews", review, "status", "signed")
        if self._breaks_rule_1(review):
            return self._take_back(RULES[0])
        for one_goal in _distinct(self._goals_by_review.get(review["id"], {}).values()):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(review):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.units[self.members[review["member_id"]]["unit_id"]]):
            return self._take_back(RULES[4])
        for one_review in _distinct(
            [
                review,
                *[
                    user
                    for one in [self.members.get(self.members[review["member_id"]]["boss_id"])]
                    if one is not None
                    for user in self._reviews_by_member.get(self.members[review["member_id"]]["boss_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_review):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(review):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(review):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_r(review):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: sign the review of {self.members[review['member_id']]['name']}.",
            "data": self._changes(),
        }

    def award_bonus(self, review_id: str, amount: Annotated[int, {"minimum": 0, "maximum": 2000000}]) -> Result:
        """Award a bonus out of the unit's pool, in place of the one before.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            amount (int): Whole bonus, in place of the one before, where zero takes it away, in cents, from 0 to
                2000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if not (self._closed(review) and review["grade"] is not None):
            return _refused(f"The review of {self.members[review['member_id']]['name']} is {review['status']}.")
        if review["grade"] < 3 and amount != 0:
            return _refused(f"A grade of {review['grade']} brings no bonus.")
        if amount > max(self._cap(review), 0):
            return _refused(
                f"{self.members[review['member_id']]['name']} may get at most {_money(self._cap(review))}."
            )
        if amount == review["bonus"]:
            return _refused(f"{self.members[review['member_id']]['name']} has that bonus already.")
        unit = self.units[self.members[review["member_id"]]["unit_id"]]
        if self._unit_spent(unit) - review["bonus"] + amount > unit["pool"]:
            return _refused(
                f"{unit['name']} has {_money(unit['pool'] - self._unit_spent(unit) + review['bonus'])} left in "
                "its pool."
            )
        self._journal = []
        self._put("reviews", review, "bonus", amount)
        if self._breaks_rule_9(review):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.units[self.members[review["member_id"]]["unit_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: award {self.members[review['member_id']]['name']} a bonus of {_money(amount)}.",
            "data": self._changes(),
        }

    def file_appeal(self, review_id: str, reason: Text) -> Result:
        """File a member's appeal against the grade, within three weeks of the signature.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            reason (str): Why the member appeals against the grade.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] != "signed" or review["grade"] is None or review["signed_on"] is None:
            return _refused(f"The review of {self.members[review['member_id']]['name']} is {review['status']}.")
        if self._appeals_by_review.get(review_id, {}):
            return _refused(f"{self.members[review['member_id']]['name']} has appealed before.")
        if _plus_days(review["signed_on"], 21) < self.now[:10]:
            return _refused(
                f"The review of {self.members[review['member_id']]['name']} was signed on {review['signed_on']}, "
                "more than three weeks ago."
            )
        if review["grade"] >= 5:
            return _refused(f"{self.members[review['member_id']]['name']} has the best grade.")
        if not any(
            self._may_judge(j, review)
            for j in _those(
                self.members,
                [record["id"] for record in _above(self.members, self.members[review["member_id"]], "boss_id")],
            )
        ):
            return _refused(
                f"There is nobody above the boss of {self.members[review['member_id']]['name']} who could judge."
            )
        self._journal = []
        appeal: Appeal = {
            "id": self._new_id("appeal", "APPEAL", self.appeals),
            "review_id": review_id,
            "reason": reason,
            "filed_on": self.now[:10],
            "grade_before": review["grade"],
            "judge_id": None,
            "status": "filed",
        }
        self._add("appeals", appeal)
        self._put("reviews", review, "status", "appealed")
        if self._breaks_rule_1(review):
            return self._take_back(RULES[0])
        for one_goal in _distinct(self._goals_by_review.get(review["id"], {}).values()):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(review):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.units[self.members[review["member_id"]]["unit_id"]]):
            return self._take_back(RULES[4])
        for one_review in _distinct(
            [
                review,
                *[
                    user
                    for one in [self.members.get(self.members[review["member_id"]]["boss_id"])]
                    if one is not None
                    for user in self._reviews_by_member.get(self.members[review["member_id"]]["boss_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_review):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(review):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(review):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_a(appeal):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_r(self.reviews[appeal["review_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_r(review):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(appeal):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: file the appeal of {self.members[review['member_id']]['name']} (new: appeal {appeal['id']})."
            ),
            "data": {"appeal_id": appeal["id"], **self._changes()},
        }

    def decide_appeal(
        self,
        appeal_id: str,
        judge_id: str,
        grade: Annotated[int, {"minimum": 1, "maximum": 5}] | None = None,
    ) -> Result:
        """Decide an appeal as somebody above the boss; without a grade the old one is upheld.

        Args:
            appeal_id (str): Id of the appeal, such as APPEAL-00001.
            judge_id (str): Member above the boss of the appealing member, who decides; an id such as MEMBER-00001.
            grade (int, optional): New grade, which must be better than the old one, from 1 to 5. If left out, the
                old grade is upheld.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        appeal = self.appeals.get(appeal_id)
        if appeal is None:
            return _refused(f"There is no appeal {appeal_id!r}.")
        judge = self.members.get(judge_id)
        if judge is None:
            return _refused(f"There is no member {judge_id!r}.")
        if appeal["status"] != "filed":
            return _refused(
                f"The appeal of {self.members[self.reviews[appeal['review_id']]['member_id']]['name']} is "
                f"{appeal['status']}."
            )
        if not self._may_judge(judge, self.reviews[appeal["review_id"]]):
            return _refused(
                f"{judge['name']} is not above the boss of "
                f"{self.members[self.reviews[appeal['review_id']]['member_id']]['name']}."
            )
        if grade is not None and grade <= appeal["grade_before"]:
            return _refused(f"The grade was {appeal['grade_before']}; an appeal can only improve it.")
        if grade is not None and grade * 100 - self._review_score(self.reviews[appeal["review_id"]]) > 100:
            return _refused(
                f"{grade} is too far from the score of {self._review_score(self.reviews[appeal['review_id']])}."
            )
        if (
            grade is not None
            and grade >= 5
            and self._top_room(
                self.units[self.members[self.reviews[appeal["review_id"]]["member_id"]]["unit_id"]]
            ) <= 0
        ):
            return _refused(
                "The quota of top grades of "
                f"{self.units[self.members[self.reviews[appeal['review_id']]['member_id']]['unit_id']]['name']} "
                "is used up."
            )
        self._journal = []
        changed_appeals: list[Any] = []
        changed_reviews: list[Any] = []
        self._put("appeals", appeal, "judge_id", judge_id)
        if grade is None:
            changed_appeals.append(appeal)
            self._put("appeals", appeal, "status", "upheld")
        else:
            if appeal["status"] not in ("filed", "changed"):
                return self._take_back(f"Appeal {appeal['id']} cannot go from {appeal['status']} to changed.")
            changed_appeals.append(appeal)
            self._put("appeals", appeal, "status", "changed")
            review = self.reviews[appeal["review_id"]]
            changed_reviews.append(review)
            self._put("reviews", review, "grade", grade)
        its_review = self.reviews[appeal["review_id"]]
        if its_review["status"] not in ("graded", "signed", "appealed"):
            return self._take_back(f"Review {its_review['number']} cannot go from {its_review['status']} to signed.")
        self._put("reviews", its_review, "status", "signed")
        if self._breaks_rule_1(its_review):
            return self._take_back(RULES[0])
        for one_goal in _distinct(self._goals_by_review.get(its_review["id"], {}).values()):
            if self._breaks_rule_3(one_goal):
                return self._take_back(RULES[2])
        for one_review in _distinct([its_review, *changed_reviews]):
            if self._breaks_rule_4(one_review):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.units[self.members[its_review["member_id"]]["unit_id"]]):
            return self._take_back(RULES[4])
        for one_unit in _distinct(
            [self.units[one["unit_id"]] for one in [self.members[one["member_id"]] for one in changed_reviews]]
        ):
            if self._breaks_rule_6(one_unit):
                return self._take_back(RULES[5])
        for one_review in _distinct(
            [
                its_review,
                *[
                    user
                    for one in [self.members.get(self.members[its_review["member_id"]]["boss_id"])]
                    if one is not None
                    for user in self._reviews_by_member.get(
                        self.members[its_review["member_id"]]["boss_id"],
                        {},
                    ).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_review):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(its_review):
            return self._take_back(RULES[7])
        for one_review in _distinct([its_review, *changed_reviews]):
            if self._breaks_rule_9(one_review):
                return self._take_back(RULES[8])
        for one_review in _distinct([its_review, *[self.reviews[one["review_id"]] for one in changed_appeals]]):
            if self._breaks_rule_11_r(one_review):
                return self._take_back(RULES[10])
        for one_appeal in _distinct([appeal, *changed_appeals]):
            if self._breaks_rule_12(one_appeal):
                return self._take_back(RULES[11])
        done = f"decide the appeal of {self.members[self.reviews[appeal['review_id']]['member_id']]['name']} as {judge['name']}"
        if grade is not None:
            done += f" with the new grade {grade}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_unit(self, unit: Unit) -> dict[str, Any]:
        """The unit as an answer shows it."""
        return {**unit, "spent": self._unit_spent(unit)}

    def _show_review(self, review: Review) -> dict[str, Any]:
        """The review as an answer shows it."""
        return {
            **review,
            "weights": self._review_weights(review),
            "unrated": self._review_unrated(review),
            "score": self._review_score(review),
        }

    def _show_appeal(self, appeal: Appeal) -> dict[str, Any]:
        """The appeal as an answer shows it."""
        return {**appeal, "member_id": _id_of(self._appeal_member(appeal))}

    def _names_of_units(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that units point to."""
        return _names((self.units, "name", [row["within_id"] for row in shown]))

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names(
            (self.units, "name", [row["unit_id"] for row in shown]),
            (self.members, "name", [row["boss_id"] for row in shown]),
        )

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _names_of_goals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that goals point to."""
        return _names((self.reviews, "number", [row["review_id"] for row in shown]))

    def _names_of_appeals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that appeals point to."""
        return _names(
            (self.reviews, "number", [row["review_id"] for row in shown]),
            (self.members, "name", [row["judge_id"] for row in shown]),
            (self.members, "name", [row["member_id"] for row in shown]),
        )

    def _unit_spent(self, unit: Unit) -> int:
        """The spent of an unit."""
        return sum(
            r["bonus"]
            for _member in self._members_by_unit.get(unit["id"], {}).values()
            for r in self._reviews_by_member.get(_member["id"], {}).values()
        )

    def _review_weights(self, review: Review) -> int:
        """The weights of a review."""
        return sum(g["weight"] for g in self._goals_by_review.get(review["id"], {}).values())

    def _review_unrated(self, review: Review) -> int:
        """The unrated of a review."""
        return sum(1 for g in self._goals_by_review.get(review["id"], {}).values() if g["rating"] is None)

    def _review_score(self, review: Review) -> int:
        """The score of a review."""
        return sum(
            (g["rating"] if g["rating"] is not None else 0) * g["weight"]
            for g in self._goals_by_review.get(review["id"], {}).values()
        )

    def _appeal_member(self, appeal: Appeal) -> Member:
        """The member of an appeal."""
        return self.members[self.reviews[appeal["review_id"]]["member_id"]]

    def _proposed(self, r: Review) -> int:
        return _rounded(Fraction(self._review_score(r), 100))

    def _heads(self, u: Unit) -> int:
        return len(
            [
                r
                for _member in self._members_by_unit.get(u["id"], {}).values()
                for r in self._reviews_by_member.get(_member["id"], {}).values()
            ]
        )

    def _tops(self, u: Unit) -> int:
        return sum(
            1
            for _member in self._members_by_unit.get(u["id"], {}).values()
            for r in self._reviews_by_member.get(_member["id"], {}).values()
            if r["grade"] == 5
        )

    def _top_room(self, u: Unit) -> int:
        return u["top_percent"] * self._heads(u) // 100 - self._tops(u)

    def _cap(self, r: Review) -> int:
        return self.members[r["member_id"]]["salary"] * (
            ((r["grade"] if r["grade"] is not None else 0) - 2) * 5
        ) // 100

    def _graded(self, r: Review) -> bool:
        return r["status"] in ("graded", "signed", "appealed")

    def _closed(self, r: Review) -> bool:
        return r["status"] in ("signed", "appealed")

    def _ungraded_in(self, u: Unit) -> Review | None:
        return next(
            (
                r
                for r in sorted(
                    [
                        r
                        for _member in self._members_by_unit.get(u["id"], {}).values()
                        for r in self._reviews_by_member.get(_member["id"], {}).values()
                    ],
                    key=_age,
                )
                if not self._graded(r)
            ),
            None,
        )

    def _open_below(self, m: Member) -> Review | None:
        return next(
            (
                r
                for r in sorted(
                    [
                        r
                        for _member in self._members_by_boss.get(m["id"], {}).values()
                        for r in self._reviews_by_member.get(_member["id"], {}).values()
                    ],
                    key=_age,
                )
                if not self._closed(r)
            ),
            None,
        )

    def _may_judge(self, j: Member, r: Review) -> bool:
        return (
            j["id"] != r["member_id"]
            and j["id"] != self.members[r["member_id"]]["boss_id"]
            and j in _above(self.members, self.members[r["member_id"]], "boss_id")
        )

    def _breaks_rule_1(self, r: Review) -> bool:
        """Whether this is broken: the weights of the goals never exceed 100, and make exactly 100 once they are
        agreed.
        """
        return not (self._review_weights(r) <= 100 and (r["status"] == "planning" or self._review_weights(r) == 100))

    def _breaks_rule_2(self, g: Goal) -> bool:
        """Whether this is broken: the goals of a review have different titles."""
        return any(
            other_g is not g
            for other_g in self._goals_by_review.get(g["review_id"], {}).values()
            if other_g["title"] == g["title"]
        )

    def _breaks_rule_3(self, g: Goal) -> bool:
        """Whether this is broken: goals are rated only after they were agreed and the member has assessed the year.
        """
        return not (
            g["rating"] is None
            or self.reviews[g["review_id"]]["status"] != "planning"
            and self.reviews[g["review_id"]]["own_view"] is not None
        )

    def _breaks_rule_4(self, r: Review) -> bool:
        """Whether this is broken: a graded review has all goals rated and a grade at most one away from the score.
        """
        return not (
            not self._graded(r)
            or self._review_unrated(r) == 0
            and r["grade"] is not None
            and abs(r["grade"] * 100 - self._review_score(r)) <= 100
        )

    def _breaks_rule_5(self, u: Unit) -> bool:
        """Whether this is broken: once a unit is calibrated, all its reviews are graded and so are the units within
        it.
        """
        return not (
            u["calibrated_on"] is None
            or self._ungraded_in(u) is None
            and all(v["calibrated_on"] is not None for v in _below(self._units_by_within, u))
        )

    def _breaks_rule_6(self, u: Unit) -> bool:
        """Whether this is broken: a calibrated unit keeps within its quota of top grades."""
        return u["calibrated_on"] is not None and self._tops(u) * 100 > u["top_percent"] * self._heads(u)

    def _breaks_rule_7(self, r: Review) -> bool:
        """Whether this is broken: reviews are signed in calibrated units only, and those of the people below first.
        """
        return not (
            not self._closed(r)
            or self.units[self.members[r["member_id"]]["unit_id"]]["calibrated_on"] is not None
            and self._open_below(self.members[r["member_id"]]) is None
        )

    def _breaks_rule_8(self, r: Review) -> bool:
        """Whether this is broken: a signed review says when."""
        return self._closed(r) != (r["signed_on"] is not None)

    def _breaks_rule_9(self, r: Review) -> bool:
        """Whether this is broken: a bonus goes with a signed grade of 3 or better and is at most 5, 10 or 15 percent
        of the salary.
        """
        return not (r["bonus"] == 0 or self._closed(r) and r["bonus"] <= self._cap(r))

    def _breaks_rule_10(self, u: Unit) -> bool:
        """Whether this is broken: the bonuses of a unit never exceed its pool."""
        return self._unit_spent(u) > u["pool"]

    def _breaks_rule_11_a(self, a: Appeal) -> bool:
        """Whether this is broken: a review is appealed once, and an open appeal belongs to a review under appeal."""
        return any(other_a is not a for other_a in self._appeals_by_review.get(a["review_id"], {}).values())

    def _breaks_rule_11_r(self, r: Review) -> bool:
        """Whether this is broken: a review is appealed once, and an open appeal belongs to a review under appeal."""
        return (r["status"] == "appealed") != bool(self._appeals_by_review_status.get((r["id"], "filed"), {}))

    def _breaks_rule_12(self, a: Appeal) -> bool:
        """Whether this is broken: an appeal is judged by somebody above the boss."""
        return not (
            (a["status"] == "filed") == (a["judge_id"] is None)
            and (
                a["judge_id"] is None
                or a["judge_id"] != self.members[self.reviews[a["review_id"]]["member_id"]]["boss_id"]
                and self.members[a["judge_id"]] in _above(
                    self.members,
                    self.members[self.reviews[a["review_id"]]["member_id"]],
                    "boss_id",
                )
            )
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
            case "units":
                self._units_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "members":
                self._members_by_boss.setdefault(record["boss_id"], {})[record["id"]] = record
                self._members_by_unit.setdefault(record["unit_id"], {})[record["id"]] = record
            case "reviews":
                self._reviews_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._reviews_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "goals":
                self._goals_by_review.setdefault(record["review_id"], {})[record["id"]] = record
            case "appeals":
                self._appeals_by_review.setdefault(record["review_id"], {})[record["id"]] = record
                self._appeals_by_review_status.setdefault(
                    (record["review_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "units":
                del self._units_by_within[record["within_id"]][record["id"]]
            case "members":
                del self._members_by_boss[record["boss_id"]][record["id"]]
                del self._members_by_unit[record["unit_id"]][record["id"]]
            case "reviews":
                del self._reviews_by_member[record["member_id"]][record["id"]]
                del self._reviews_by_status[record["status"]][record["id"]]
            case "goals":
                del self._goals_by_review[record["review_id"]][record["id"]]
            case "appeals":
                del self._appeals_by_review[record["review_id"]][record["id"]]
                del self._appeals_by_review_status[record["review_id"], record["status"]][record["id"]]
