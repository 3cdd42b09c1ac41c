"""Grant management. Compiled from blueprint.yaml; run `envscaler build grant_management` after changing it there.

Runs the calls of a foundation, from applications and independent reviews through awards within the pot to
budget moves, reports and the tranches that are paid on them.
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
    "A call never commits more than its pot.",
    "Nobody reviews a project of an organisation they have a conflict with.",
    "A reviewer has no more reviews to write than they agreed to.",
    "A reviewer reviews a project once.",
    "A budget has each kind of line once.",
    "Overhead is at most 15 percent of a project.",
    "At most a fifth of a budget is moved between its lines.",
    "The tranches of a granted project add up to its budget.",
    "A tranche after the first is paid on a report about those before it.",
    "A granted project was scored at least twice and reached the score of its call.",
    "A project that has ended has no tranche left to pay.",
    "An organisation has one project under way in a call.",
    "There is one report after each tranche, about no more than was paid until then.",
    "No project asks for more than its call gives to one.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "submit_project",
    "assign_reviewer",
    "release_review",
    "declare_conflict",
    "score_project",
    "award_grant",
    "reject_project",
    "move_budget",
    "file_report",
    "pay_tranche",
    "terminate_project",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "organisations": ("name",),
    "calls": ("name",),
    "reviewers": ("name",),
    "projects": ("title",),
    "budget_lines": (),
    "reviews": (),
    "tranches": (),
    "reports": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("budget_lines", "kind"),
    ("budget_lines", "project_id"),
    ("projects", "call_id"),
    ("projects", "organisation_id"),
    ("projects", "title"),
    ("reports", "project_id"),
    ("reviews", "project_id"),
    ("reviews", "reviewer_id"),
    ("tranches", "project_id"),
    ("tranches", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Organisation(TypedDict):
    id: str
    name: str


class Call(TypedDict):
    id: str
    name: str
    pot: int
    most_each: int
    least_score: int
    closes_on: str


class Reviewer(TypedDict):
    id: str
    name: str
    most: int
    conflict_ids: list[str]


class Project(TypedDict):
    id: str
    title: str
    call_id: str
    organisation_id: str
    submitted_on: str
    verdict: str | None
    refunded: int
    status: Literal["submitted", "granted", "rejected", "completed", "terminated"]


class BudgetLine(TypedDict):
    id: str
    project_id: str
    kind: Literal["staff", "travel", "equipment", "overhead"]
    planned: int
    amount: int


class Review(TypedDict):
    id: str
    project_id: str
    reviewer_id: str
    assigned_on: str
    score: int | None


class Tranche(TypedDict):
    id: str
    project_id: str
    number: int
    amount: int
    paid_on: str | None
    status: Literal["planned", "paid", "dropped"]


class Report(TypedDict):
    id: str
    project_id: str
    after: int
    spent: int
    filed_on: str


class SubmitProjectLine(TypedDict):
    kind: Literal["staff", "travel", "equipment", "overhead"]
    amount: Annotated[int, {"minimum": 100, "maximum": 5000000}]


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


def _mean(values: list[int]) -> Fraction | None:
    """The average, or None of nothing."""
    return Fraction(sum(values), len(values)) if values else None


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class GrantManagement:
    """Runs the calls of a foundation, from applications and independent reviews through awards within the
    pot to budget moves, reports and the tranches that are paid on them.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.organisations: dict[str, Organisation] = _copied(config.get("organisations", {}))
        self.calls: dict[str, Call] = _copied(config.get("calls", {}))
        self.reviewers: dict[str, Reviewer] = _copied(config.get("reviewers", {}))
        self.projects: dict[str, Project] = _copied(config.get("projects", {}))
        self.budget_lines: dict[str, BudgetLine] = _copied(config.get("budget_lines", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.tranches: dict[str, Tranche] = _copied(config.get("tranches", {}))
        self.reports: dict[str, Report] = _copied(config.get("reports", {}))
        self.now: str = config.get("now", "2026-04-14T10:00")
        self.counters: dict[str, int] = {
            "organisation": len(self.organisations),
            "call": len(self.calls),
            "reviewer": len(self.reviewers),
            "project": len(self.projects),
            "budget_line": len(self.budget_lines),
            "review": len(self.reviews),
            "tranche": len(self.tranches),
            "report": len(self.reports),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._projects_by_call: dict[Any, dict[str, Project]] = {}
        self._projects_by_call_organisation: dict[Any, dict[str, Project]] = {}
        self._projects_by_title: dict[Any, dict[str, Project]] = {}
        self._budget_lines_by_project: dict[Any, dict[str, BudgetLine]] = {}
        self._budget_lines_by_project_kind: dict[Any, dict[str, BudgetLine]] = {}
        self._reviews_by_project: dict[Any, dict[str, Review]] = {}
        self._reviews_by_project_reviewer: dict[Any, dict[str, Review]] = {}
        self._reviews_by_reviewer: dict[Any, dict[str, Review]] = {}
        self._tranches_by_project: dict[Any, dict[str, Tranche]] = {}
        self._tranches_by_project_status: dict[Any, dict[str, Tranche]] = {}
        self._reports_by_project: dict[Any, dict[str, Report]] = {}
        for project in self.projects.values():
            self._link("projects", project)
        for budget_line in self.budget_lines.values():
            self._link("budget_lines", budget_line)
        for review in self.reviews.values():
            self._link("reviews", review)
        for tranche in self.tranches.values():
            self._link("tranches", tranche)
        for report in self.reports.values():
            self._link("reports", report)

    def ranking(self, call_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Submitted projects of a call with their scores, best first.

        Args:
            call_id (str): Id of the call, such as CALL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}} or {"success": False, "error": why
                not}
        """
        call = self.calls.get(call_id)
        if call is None:
            return _refused(f"There is no call {call_id!r}.")
        found = [
            p
            for p in self._projects_by_call.get(call_id, {}).values()
            if (p["call_id"] == call_id and p["status"] == "submitted")
        ]
        found.sort(key=lambda p: (-self._project_average(p), p["title"], _age(p)))
        return _found(
            {
                "total": len(found),
                "projects": [
                    {
                        "id": p["id"],
                        "title": p["title"],
                        "organisation": self.organisations[p["organisation_id"]]["name"],
                        "average": self._project_average(p),
                        "scored": self._project_scored(p),
                        "total": self._project_total(p),
                        "fits": self._project_total(p) <= self._call_left(self.calls[p["call_id"]]),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def free_reviewers(
        self,
        project_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Reviewers who could take on a project, those with the least to do first.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviewers": records}} or {"success": False, "error":
                why not}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        found = [v for v in self.reviewers.values() if self._may_review(v, project)]
        found.sort(key=lambda v: (self._reviewer_busy_with(v), v["name"], _age(v)))
        return _found(
            {
                "total": len(found),
                "reviewers": [
                    {"id": v["id"], "name": v["name"], "busy_with": self._reviewer_busy_with(v), "most": v["most"]}
                    for v in _page(found, offset)
                ],
            }
        )

    def to_pay(
        self,
        call_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tranches that could be paid today.

        Args:
            call_id (str, optional): Only projects of this call; an id such as CALL-00001. If left out, the
                tranches of all calls are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tranches": records}} or {"success": False, "error": why
                not}
        """
        call = self.calls.get(call_id) if call_id is not None else None
        if call_id is not None and call is None:
            return _refused(f"There is no call {call_id!r}.")
        found = [
            t
            for t in self.tranches.values()
            if self._payable(t)
            and (call_id is None or self.projects[t["project_id"]]["call_id"] == call_id)
        ]
        found.sort(key=lambda t: (self.projects[t["project_id"]]["title"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tranches": [
                    {
                        "id": t["id"],
                        "project": self.projects[t["project_id"]]["title"],
                        "number": t["number"],
                        "amount": t["amount"],
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def list_organisations(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the organisations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only organisations whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "organisations": records}}
        """
        found = [
            organisation
            for organisation in self.organisations.values()
            if (name is None or name.casefold() in organisation["name"].casefold())
        ]
        return _found(
            {"total": len(found), "organisations": [{**organisation} for organisation in _page(found, offset)]}
        )

    def list_calls(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the calls, oldest first, all of them or only some.

        Args:
            name (str, optional): Only calls whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "calls": records}}
        """
        found = [call for call in self.calls.values() if (name is None or name.casefold() in call["name"].casefold())]
        return _found({"total": len(found), "calls": [self._show_call(call) for call in _page(found, offset)]})

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
        shown = [self._show_reviewer(reviewer) for reviewer in _page(found, offset)]
        return _found({"total": len(found), "reviewers": shown}, self._names_of_reviewers(shown))

    def list_projects(
        self,
        title: Text | None = None,
        call_id: str | None = None,
        organisation_id: str | None = None,
        status: Literal["submitted", "granted", "rejected", "completed", "terminated"] | None = None,
        submitted_on_from: Date | None = None,
        submitted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the projects, oldest first, all of them or only some.

        Args:
            title (str, optional): Only projects whose title contains this text.
            call_id (str, optional): Only projects of this call.
            organisation_id (str, optional): Only projects of this organisation.
            status (str, optional): Only projects with this status.
            submitted_on_from (str, optional): Only projects whose `submitted_on` is on this day or later.
            submitted_on_to (str, optional): Only projects whose `submitted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}}
        """
        if call_id is not None and call_id not in self.calls:
            return _refused(f"There is no call {call_id!r}.")
        if organisation_id is not None and organisation_id not in self.organisations:
            return _refused(f"There is no organisation {organisation_id!r}.")
        found = [
            project
            for project in self.projects.values()
            if (title is None or title.casefold() in project["title"].casefold())
            and (call_id is None or project["call_id"] == call_id)
            and (organisation_id is None or project["organisation_id"] == organisation_id)
            and (status is None or project["status"] == status)
            and (submitted_on_from is None or project["submitted_on"] >= submitted_on_from)
            and (submitted_on_to is None or project["submitted_on"] <= submitted_on_to)
        ]
        shown = [self._show_project(project) for project in _page(found, offset)]
        return _found({"total": len(found), "projects": shown}, self._names_of_projects(shown))

    def list_budget_lines(
        self,
        project_id: str | None = None,
        kind: Literal["staff", "travel", "equipment", "overhead"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the budget lines, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only budget lines of this project.
            kind (str, optional): Only budget lines with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "budget_lines": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            budget_line
            for budget_line in self.budget_lines.values()
            if (project_id is None or budget_line["project_id"] == project_id)
            and (kind is None or budget_line["kind"] == kind)
        ]
        shown = [{**budget_line} for budget_line in _page(found, offset)]
        return _found({"total": len(found), "budget_lines": shown}, self._names_of_budget_lines(shown))

    def list_reviews(
        self,
        project_id: str | None = None,
        reviewer_id: str | None = None,
        assigned_on_from: Date | None = None,
        assigned_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only reviews of this project.
            reviewer_id (str, optional): Only reviews of this reviewer.
            assigned_on_from (str, optional): Only reviews whose `assigned_on` is on this day or later.
            assigned_on_to (str, optional): Only reviews whose `assigned_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.reviewers:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (project_id is None or review["project_id"] == project_id)
            and (reviewer_id is None or review["reviewer_id"] == reviewer_id)
            and (assigned_on_from is None or review["assigned_on"] >= assigned_on_from)
            and (assigned_on_to is None or review["assigned_on"] <= assigned_on_to)
        ]
        shown = [{**review} for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def list_tranches(
        self,
        project_id: str | None = None,
        status: Literal["planned", "paid", "dropped"] | None = None,
        paid_on_from: Date | None = None,
        paid_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tranches, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only tranches of this project.
            status (str, optional): Only tranches with this status.
            paid_on_from (str, optional): Only tranches whose `paid_on` is on this day or later.
            paid_on_to (str, optional): Only tranches whose `paid_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tranches": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            tranche
            for tranche in self.tranches.values()
            if (project_id is None or tranche["project_id"] == project_id)
            and (status is None or tranche["status"] == status)
            and (paid_on_from is None or (tranche["paid_on"] is not None and tranche["paid_on"] >= paid_on_from))
            and (paid_on_to is None or (tranche["paid_on"] is not None and tranche["paid_on"] <= paid_on_to))
        ]
        shown = [{**tranche} for tranche in _page(found, offset)]
        return _found({"total": len(found), "tranches": shown}, self._names_of_tranches(shown))

    def list_reports(
        self,
        project_id: str | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reports, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only reports of this project.
            filed_on_from (str, optional): Only reports whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only reports whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reports": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            report
            for report in self.reports.values()
            if (project_id is None or report["project_id"] == project_id)
            and (filed_on_from is None or report["filed_on"] >= filed_on_from)
            and (filed_on_to is None or report["filed_on"] <= filed_on_to)
        ]
        shown = [{**report} for report in _page(found, offset)]
        return _found({"total": len(found), "reports": shown}, self._names_of_reports(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def submit_project(
        self,
        call_id: str,
        organisation_id: str,
        title: Text,
        lines: Annotated[list[SubmitProjectLine], {"maxItems": 20}],
    ) -> Result:
        """Take an application with its budget lines.

        Args:
            call_id (str): Id of the call, such as CALL-00001.
            organisation_id (str): Id of the organisation, such as ORGANISATION-00001.
            title (str): Title of the project, not in use yet.
            lines (list): One budget line for each kind of cost, each kind once: kind: kind of cost, overhead being
                at most 15 percent of all: staff, travel, equipment or overhead; amount: money planned for this
                kind of cost, in cents, from 100 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        call = self.calls.get(call_id)
        if call is None:
            return _refused(f"There is no call {call_id!r}.")
        organisation = self.organisations.get(organisation_id)
        if organisation is None:
            return _refused(f"There is no organisation {organisation_id!r}.")
        if self.now[:10] > call["closes_on"]:
            return _refused(f"{call['name']} closed on {call['closes_on']}.")
        if self._projects_by_title.get(title, {}):
            return _refused(f"There is a project {title} already.")
        rival = next(
            (
                p
                for p in sorted(
                    self._projects_by_call_organisation.get((call_id, organisation_id), {}).values(),
                    key=_age,
                )
                if p["status"] in ("submitted", "granted")
            ),
            None,
        )
        if rival is not None:
            return _refused(f"{organisation['name']} has {rival['title']} in {call['name']}.")
        if not (len(lines) > 0 and _different([n["kind"] for n in lines])):
            return _refused("A budget has at least one line, and each kind once.")
        total = sum(n["amount"] for n in lines)
        if total > call["most_each"]:
            return _refused(
                f"{call['name']} gives at most {_money(call['most_each'])} to a project, not {_money(total)}."
            )
        if not all(n["kind"] != "overhead" or n["amount"] * 100 <= 15 * total for n in lines):
            return _refused(f"Overhead may be at most 15 percent of {_money(total)}.")
        self._journal = []
        added_budget_lines: list[Any] = []
        project: Project = {
            "id": self._new_id("project", "PROJECT", self.projects),
            "title": title,
            "call_id": call_id,
            "organisation_id": organisation_id,
            "submitted_on": self.now[:10],
            "verdict": None,
            "refunded": 0,
            "status": "submitted",
        }
        self._add("projects", project)
        for n in sorted(lines, key=lambda n: (n["kind"],)):
            budget_line = {
                "id": self._new_id("budget_line", "BL", self.budget_lines),
                "project_id": project["id"],
                "kind": n["kind"],
                "planned": n["amount"],
                "amount": n["amount"],
            }
            self._add("budget_lines", budget_line)
            added_budget_lines.append(budget_line)
        if len(self._projects_by_title.get(project["title"], {})) > 1:
            return self._take_back(f"There is already a project with the title {project['title']!r}.")
        for one_call in _distinct(
            [
                self.calls[project["call_id"]],
                *[
                    self.calls[one["call_id"]]
                    for one in [self.projects[one["project_id"]] for one in added_budget_lines]
                ],
            ]
        ):
            if self._breaks_rule_1(one_call):
                return self._take_back(RULES[0])
        for one_budget_line in _distinct(added_budget_lines):
            if self._breaks_rule_5(one_budget_line):
                return self._take_back(RULES[4])
        for one_budget_line in _distinct(
            [
                *added_budget_lines,
                *[
                    user
                    for one in [self.projects[one["project_id"]] for one in added_budget_lines]
                    for user in self._budget_lines_by_project.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_budget_line):
                return self._take_back(RULES[5])
        for one_project in _distinct([project, *[self.projects[one["project_id"]] for one in added_budget_lines]]):
            if self._breaks_rule_7(one_project):
                return self._take_back(RULES[6])
        for one_project in _distinct([project, *[self.projects[one["project_id"]] for one in added_budget_lines]]):
            if self._breaks_rule_8(one_project):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(project):
            return self._take_back(RULES[9])
        if self._breaks_rule_12(project):
            return self._take_back(RULES[11])
        for one_project in _distinct([project, *[self.projects[one["project_id"]] for one in added_budget_lines]]):
            if self._breaks_rule_14(one_project):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: submit {title} of {organisation['name']} to {call['name']} (new: project {project['id']})."
            ),
            "data": {"project_id": project["id"], **self._changes()},
        }

    def assign_reviewer(self, project_id: str, reviewer_id: str) -> Result:
        """Ask a reviewer without conflict to score a project.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            reviewer_id (str): Id of the reviewer, such as REVIEWER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        reviewer = self.reviewers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        if project["status"] != "submitted":
            return _refused(f"{project['title']} is {project['status']}.")
        if project["organisation_id"] in reviewer["conflict_ids"]:
            return _refused(
                f"{reviewer['name']} has a conflict with {self.organisations[project['organisation_id']]['name']}."
            )
        if self._reviews_by_project_reviewer.get((project_id, reviewer_id), {}):
            return _refused(f"{reviewer['name']} reviews {project['title']} already.")
        if self._reviewer_busy_with(reviewer) >= reviewer["most"]:
            return _refused(
                f"{reviewer['name']} has {self._reviewer_busy_with(reviewer)} reviews to write, which is the limit."
            )
        self._journal = []
        review: Review = {
            "id": self._new_id("review", "REVIEW", self.reviews),
            "project_id": project_id,
            "reviewer_id": reviewer_id,
            "assigned_on": self.now[:10],
            "score": None,
        }
        self._add("reviews", review)
        if self._breaks_rule_2(review):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.reviewers[review["reviewer_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(review):
            return self._take_back(RULES[3])
        if self._breaks_rule_10(self.projects[review["project_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: assign {project['title']} to {reviewer['name']} (new: review {review['id']}).",
            "data": {"review_id": review["id"], **self._changes()},
        }

    def release_review(self, review_id: str) -> Result:
        """Take a review that is not written yet away from its reviewer.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["score"] is not None:
            return _refused(
                f"{self.reviewers[review['reviewer_id']]['name']} has scored "
                f"{self.projects[review['project_id']]['title']} already."
            )
        self._journal = []
        self._remove("reviews", review)
        if self._breaks_rule_3(self.reviewers[review["reviewer_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(self.projects[review["project_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: release {self.reviewers[review['reviewer_id']]['name']} from reviewing "
                f"{self.projects[review['project_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def declare_conflict(self, reviewer_id: str, organisation_id: str) -> Result:
        """Note that a reviewer has a conflict with an organisation; unwritten reviews of its projects are taken away.

        Args:
            reviewer_id (str): Id of the reviewer, such as REVIEWER-00001.
            organisation_id (str): Id of the organisation, such as ORGANISATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reviewer = self.reviewers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no reviewer {reviewer_id!r}.")
        organisation = self.organisations.get(organisation_id)
        if organisation is None:
            return _refused(f"There is no organisation {organisation_id!r}.")
        if organisation_id in reviewer["conflict_ids"]:
            return _refused(f"The conflict of {reviewer['name']} with {organisation['name']} is known.")
        written = next(
            (
                r
                for r in sorted(self._reviews_by_reviewer.get(reviewer_id, {}).values(), key=_age)
                if self.projects[r["project_id"]]["organisation_id"] == organisation_id
                and r["score"] is not None
                and self.projects[r["project_id"]]["status"] == "submitted"
            ),
            None,
        )
        if written is not None:
            return _refused(
                f"{reviewer['name']} has scored {self.projects[written['project_id']]['title']}, which must be "
                "decided first."
            )
        self._journal = []
        deleted_reviews: list[Any] = []
        for r in [
            r
            for r in sorted(self._reviews_by_reviewer.get(reviewer_id, {}).values(), key=_age)
            if self.projects[r["project_id"]]["organisation_id"] == organisation_id
            and r["score"] is None
        ]:
            if r["id"] in self.reviews:
                self._remove("reviews", r)
            deleted_reviews.append(r)
        self._put(
            "reviewers",
            reviewer,
            "conflict_ids",
            [record["id"] for record in _those(self.organisations, [*reviewer["conflict_ids"], organisation_id])],
        )
        for one_review in _distinct(self._reviews_by_reviewer.get(reviewer["id"], {}).values()):
            if one_review["id"] in self.reviews and self._breaks_rule_2(one_review):
                return self._take_back(RULES[1])
        for one_reviewer in _distinct([self.reviewers[one["reviewer_id"]] for one in deleted_reviews]):
            if self._breaks_rule_3(one_reviewer):
                return self._take_back(RULES[2])
        for one_project in _distinct([self.projects[one["project_id"]] for one in deleted_reviews]):
            if self._breaks_rule_10(one_project):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: declare the conflict of {reviewer['name']} with {organisation['name']}.",
            "data": self._changes(),
        }

    def score_project(self, review_id: str, score: Annotated[int, {"minimum": 0, "maximum": 100}]) -> Result:
        """Enter the score that a reviewer gives.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            score (int): Points that the reviewer gives the project, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["score"] is not None:
            return _refused(
                f"{self.reviewers[review['reviewer_id']]['name']} gave "
                f"{self.projects[review['project_id']]['title']} a score already."
            )
        if self.projects[review["project_id"]]["status"] != "submitted":
            return _refused(
                f"{self.projects[review['project_id']]['title']} is {self.projects[review['project_id']]['status']}."
            )
        self._journal = []
        self._put("reviews", review, "score", score)
        if self._breaks_rule_3(self.reviewers[review["reviewer_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(self.projects[review["project_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: enter {score} by {self.reviewers[review['reviewer_id']]['name']} for "
                f"{self.projects[review['project_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def award_grant(self, project_id: str) -> Result:
        """Grant a project its budget, in tranches of 40, 40 and 20 percent; better ones that fit go first.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "submitted":
            return _refused(f"{project['title']} is {project['status']}.")
        if self.calls[project["call_id"]]["closes_on"] >= self.now[:10]:
            return _refused(
                f"{self.calls[project['call_id']]['name']} takes applications until "
                f"{self.calls[project['call_id']]['closes_on']}, so nothing is awarded yet."
            )
        if self._project_scored(project) < 2:
            return _refused(f"{project['title']} has {self._project_scored(project)} scores and needs two.")
        if self._project_average(project) < self.calls[project["call_id"]]["least_score"]:
            return _refused(
                f"{project['title']} reached {self._project_average(project)} of the "
                f"{self.calls[project['call_id']]['least_score']} points needed."
            )
        if any(r["score"] is None for r in self._reviews_by_project.get(project_id, {}).values()):
            return _refused(f"A review of {project['title']} is still to come, so wait for it or release it.")
        if self._project_total(project) > self._call_left(self.calls[project["call_id"]]):
            return _refused(
                f"{self.calls[project['call_id']]['name']} has "
                f"{_money(self._call_left(self.calls[project['call_id']]))} left and {project['title']} needs "
                f"{_money(self._project_total(project))}."
            )
        better = next(
            (
                p
                for p in sorted(self._projects_by_call.get(project["call_id"], {}).values(), key=_age)
                if self._ready(p)
                and self._project_average(p) > self._project_average(project)
                and self._project_total(p) <= self._call_left(self.calls[p["call_id"]])
            ),
            None,
        )
        if better is not None:
            return _refused(f"{better['title']} has {self._project_average(better)} points and goes first.")
        self._journal = []
        self._put("projects", project, "status", "granted")
        part = _rounded(Fraction(self._project_total(project) * 40, 100))
        if not 0 <= part <= 9000000:
            return self._take_back("The amount of a tranche must be between 0.00 and 90,000.00.")
        tranche: Tranche = {
            "id": self._new_id("tranche", "TRANCHE", self.tranches),
            "project_id": project_id,
            "number": 1,
            "amount": part,
            "paid_on": None,
            "status": "planned",
        }
        self._add("tranches", tranche)
        if not 0 <= part <= 9000000:
            return self._take_back("The amount of a tranche must be between 0.00 and 90,000.00.")
        new_tranche: Tranche = {
            "id": self._new_id("tranche", "TRANCHE", self.tranches),
            "project_id": project_id,
            "number": 2,
            "amount": part,
            "paid_on": None,
            "status": "planned",
        }
        self._add("tranches", new_tranche)
        amount = self._project_total(project) - part - part
        if not 0 <= amount <= 9000000:
            return self._take_back("The amount of a tranche must be between 0.00 and 90,000.00.")
        new_tranche_2: Tranche = {
            "id": self._new_id("tranche", "TRANCHE", self.tranches),
            "project_id": project_id,
            "number": 3,
            "amount": amount,
            "paid_on": None,
            "status": "planned",
        }
        self._add("tranches", new_tranche_2)
        for one_call in _distinct(
            [
                self.calls[project["call_id"]],
                self.calls[self.projects[tranche["project_id"]]["call_id"]],
                self.calls[self.projects[new_tranche["project_id"]]["call_id"]],
                self.calls[self.projects[new_tranche_2["project_id"]]["call_id"]],
            ]
        ):
            if self._breaks_rule_1(one_call):
                return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_project.get(project["id"], {}).values()):
            if self._breaks_rule_2(one_review):
                return self._take_back(RULES[1])
        for one_project in _distinct(
            [
                project,
                self.projects[tranche["project_id"]],
                self.projects[new_tranche["project_id"]],
                self.projects[new_tranche_2["project_id"]],
            ]
        ):
            if self._breaks_rule_8(one_project):
                return self._take_back(RULES[7])
        for one_tranche in _distinct(
            [
                tranche,
                new_tranche,
                new_tranche_2,
                *self._tranches_by_project.get(tranche["project_id"], {}).values(),
                *self._tranches_by_project.get(new_tranche["project_id"], {}).values(),
                *self._tranches_by_project.get(new_tranche_2["project_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_9(one_tranche):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(project):
            return self._take_back(RULES[9])
        for one_tranche in _distinct(
            [
                tranche,
                new_tranche,
                new_tranche_2,
                *self._tranches_by_project_status.get((project["id"], "planned"), {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_tranche):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(project):
            return self._take_back(RULES[11])
        for one_report in _distinct(
            [
                *self._reports_by_project.get(tranche["project_id"], {}).values(),
                *self._reports_by_project.get(new_tranche["project_id"], {}).values(),
                *self._reports_by_project.get(new_tranche_2["project_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_13_r_again(one_report):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: award {project['title']} (new: tranche {tranche['id']}, tranche {new_tranche['id']}, "
                f"tranche {new_tranche_2['id']})."
            ),
            "data": {
                "tranche_id": tranche["id"],
                "new_tranche_id": new_tranche["id"],
                "new_tranche_2_id": new_tranche_2["id"],
                **self._changes(),
            },
        }

    def reject_project(self, project_id: str, reason: Text) -> Result:
        """Reject a project and say why.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            reason (str): Why the project is rejected.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "submitted":
            return _refused(f"{project['title']} is {project['status']}.")
        self._journal = []
        deleted_reviews: list[Any] = []
        for r in [
            r
            for r in sorted(self._reviews_by_project.get(project_id, {}).values(), key=_age)
            if r["score"] is None
        ]:
            if r["id"] in self.reviews:
                self._remove("reviews", r)
            deleted_reviews.append(r)
        self._put("projects", project, "verdict", reason)
        self._put("projects", project, "status", "rejected")
        if self._breaks_rule_1(self.calls[project["call_id"]]):
            return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_project.get(project["id"], {}).values()):
            if one_review["id"] in self.reviews and self._breaks_rule_2(one_review):
                return self._take_back(RULES[1])
        for one_reviewer in _distinct([self.reviewers[one["reviewer_id"]] for one in deleted_reviews]):
            if self._breaks_rule_3(one_reviewer):
                return self._take_back(RULES[2])
        if self._breaks_rule_8(project):
            return self._take_back(RULES[7])
        for one_project in _distinct([project, *[self.projects[one["project_id"]] for one in deleted_reviews]]):
            if self._breaks_rule_10(one_project):
                return self._take_back(RULES[9])
        for one_tranche in _distinct(self._tranches_by_project_status.get((project["id"], "planned"), {}).values()):
            if self._breaks_rule_11(one_tranche):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(project):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: reject {project['title']}.", "data": self._changes()}

    def move_budget(
        self,
        project_id: str,
        source: Literal["staff", "travel", "equipment", "overhead"],
        target: Literal["staff", "travel", "equipment", "overhead"],
        amount: Annotated[int, {"minimum": 100, "maximum": 5000000}],
    ) -> Result:
        """Move money between two lines of a granted project, at most a fifth of the budget in all.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            source (str): Budget line that gives the money: staff, travel, equipment or overhead.
            target (str): Budget line that gets the money, never overhead: staff, travel, equipment or overhead.
            amount (int): Money that is moved, in cents, from 100 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "granted":
            return _refused(f"{project['title']} is {project['status']}.")
        if source == target or target == "overhead":
            return _refused("Money is moved between two lines and never to overhead.")
        giver = self._line(project, source)
        taker = self._line(project, target)
        if giver is None or taker is None:
            return _refused(f"{project['title']} has no such line.")
        if amount > giver["amount"]:
            return _refused(f"Only {_money(giver['amount'])} are left in {source}.")
        after = (
            self._project_moved(project)
            + max(0, taker["amount"] + amount - taker["planned"])
            - max(0, taker["amount"] - taker["planned"])
            + max(0, giver["amount"] - amount - giver["planned"])
            - max(0, giver["amount"] - giver["planned"])
        )
        if after * 5 > self._project_total(project):
            return _refused(
                f"That would be {_money(after)} moved in all, more than a fifth of "
                f"{_money(self._project_total(project))}."
            )
        self._journal = []
        new_amount = giver["amount"] - amount
        if not 0 <= new_amount <= 9000000:
            return self._take_back(f"The amount of {giver['id']} must be between 0.00 and 90,000.00.")
        self._put("budget_lines", giver, "amount", new_amount)
        new_amount_2 = taker["amount"] + amount
        if not 0 <= new_amount_2 <= 9000000:
            return self._take_back(f"The amount of {taker['id']} must be between 0.00 and 90,000.00.")
        self._put("budget_lines", taker, "amount", new_amount_2)
        if self._breaks_rule_1(self.calls[self.projects[giver["project_id"]]["call_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.calls[self.projects[taker["project_id"]]["call_id"]]):
            return self._take_back(RULES[0])
        for one_budget_line in _distinct(
            [
                giver,
                taker,
                *self._budget_lines_by_project.get(giver["project_id"], {}).values(),
                *self._budget_lines_by_project.get(taker["project_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_budget_line):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(self.projects[giver["project_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(self.projects[taker["project_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.projects[giver["project_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(self.projects[taker["project_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_14(self.projects[giver["project_id"]]):
            return self._take_back(RULES[13])
        if self._breaks_rule_14(self.projects[taker["project_id"]]):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: move {_money(amount)} of {project['title']} from {source} to {target}.",
            "data": self._changes(),
        }

    def file_report(self, project_id: str, spent: Annotated[int, {"minimum": 0, "maximum": 9000000}]) -> Result:
        """File the report on what was spent of the tranches paid so far; the one after the last tranche completes a
        project, and what was not spent goes back to the pot.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            spent (int): Money spent so far in all, of the tranches paid, in cents, from 0 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "granted":
            return _refused(f"{project['title']} is {project['status']}.")
        n = self._last_paid(project)
        if n is None:
            return _refused(f"Nothing was paid to {project['title']} yet.")
        if any(each["after"] == n for each in self._reports_by_project.get(project_id, {}).values()):
            return _refused(f"The report after tranche {n} of {project['title']} is there.")
        if any(r["spent"] > spent for r in self._reports_by_project.get(project_id, {}).values()):
            return _refused(f"An earlier report of {project['title']} shows more than {_money(spent)}.")
        if spent > self._project_paid(project):
            return _refused(f"Only {_money(self._project_paid(project))} were paid to {project['title']}.")
        if spent * 10 < self._project_paid(project) * 7:
            return _refused(
                f"{_money(spent)} is less than 70 percent of {_money(self._project_paid(project))}, so "
                f"{project['title']} must spend more first."
            )
        self._journal = []
        changed_projects: list[Any] = []
        changed_projects_2: list[Any] = []
        if not 1 <= n <= 3:
            return self._take_back("The after of a report must be between 1 and 3.")
        report: Report = {
            "id": self._new_id("report", "REPORT", self.reports),
            "project_id": project_id,
            "after": n,
            "spent": spent,
            "filed_on": self.now[:10],
        }
        self._add("reports", report)
        if n == 3:
            refunded = self._project_paid(project) - spent
            if not 0 <= refunded <= 9000000:
                return self._take_back(f"The refunded of {project['title']} must be between 0.00 and 90,000.00.")
            changed_projects.append(project)
            self._put("projects", project, "refunded", refunded)
            changed_projects_2.append(project)
            self._put("projects", project, "status", "completed")
        for one_call in _distinct(
            [
                *[self.calls[one["call_id"]] for one in changed_projects],
                *[self.calls[one["call_id"]] for one in changed_projects_2],
            ]
        ):
            if self._breaks_rule_1(one_call):
                return self._take_back(RULES[0])
        for one_review in _distinct(
            [user for one in changed_projects_2 for user in self._reviews_by_project.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_review):
                return self._take_back(RULES[1])
        for one_project in _distinct(changed_projects_2):
            if self._breaks_rule_8(one_project):
                return self._take_back(RULES[7])
        for one_tranche in _distinct(self._tranches_by_project.get(report["project_id"], {}).values()):
            if self._breaks_rule_9(one_tranche):
                return self._take_back(RULES[8])
        for one_project in _distinct(changed_projects_2):
            if self._breaks_rule_10(one_project):
                return self._take_back(RULES[9])
        for one_tranche in _distinct(
            [
                user
                for one in changed_projects_2
                for user in self._tranches_by_project_status.get((one["id"], "planned"), {}).values()
            ]
        ):
            if self._breaks_rule_11(one_tranche):
                return self._take_back(RULES[10])
        for one_project in _distinct(changed_projects_2):
            if self._breaks_rule_12(one_project):
                return self._take_back(RULES[11])
        if self._breaks_rule_13_r(report):
            return self._take_back(RULES[12])
        if self._breaks_rule_13_r_again(report):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: file a report of {project['title']} about {_money(spent)} (new: report {report['id']})."
            ),
            "data": {"report_id": report["id"], **self._changes()},
        }

    def pay_tranche(self, tranche_id: str) -> Result:
        """Pay the tranche of a project that is due.

        Args:
            tranche_id (str): Id of the tranche, such as TRANCHE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tranche = self.tranches.get(tranche_id)
        if tranche is None:
            return _refused(f"There is no tranche {tranche_id!r}.")
        if tranche["status"] != "planned":
            return _refused(
                f"Tranche {tranche['number']} of {self.projects[tranche['project_id']]['title']} is "
                f"{tranche['status']}."
            )
        n = tranche["number"]
        if n != 1 and self._last_paid(self.projects[tranche["project_id"]]) != n - 1:
            return _refused(f"Tranche {n - 1} of {self.projects[tranche['project_id']]['title']} comes first.")
        if not (n == 1 or self._reported(self.projects[tranche["project_id"]], n - 1)):
            return _refused(
                f"{self.projects[tranche['project_id']]['title']} has to file the report after tranche {n - 1} first."
            )
        self._journal = []
        self._put("tranches", tranche, "paid_on", self.now[:10])
        self._put("tranches", tranche, "status", "paid")
        if self._breaks_rule_1(self.calls[self.projects[tranche["project_id"]]["call_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_9(tranche):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(tranche):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: pay tranche {tranche['number']} of {self.projects[tranche['project_id']]['title']}.",
            "data": self._changes(),
        }

    def terminate_project(self, project_id: str, reason: Text) -> Result:
        """End a granted project early; what was not paid goes back to the pot.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            reason (str): Why the project ends early.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "granted":
            return _refused(f"{project['title']} is {project['status']}.")
        self._journal = []
        changed_tranches: list[Any] = []
        for t in sorted(self._tranches_by_project_status.get((project_id, "planned"), {}).values(), key=_age):
            if t["status"] not in ("planned", "dropped"):
                return self._take_back(f"Tranche {t['id']} cannot go from {t['status']} to dropped.")
            changed_tranches.append(t)
            self._put("tranches", t, "status", "dropped")
        self._put("projects", project, "verdict", reason)
        self._put("projects", project, "status", "terminated")
        for one_call in _distinct(
            [
                self.calls[project["call_id"]],
                *[
                    self.calls[one["call_id"]]
                    for one in [self.projects[one["project_id"]] for one in changed_tranches]
                ],
            ]
        ):
            if self._breaks_rule_1(one_call):
                return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_project.get(project["id"], {}).values()):
            if self._breaks_rule_2(one_review):
                return self._take_back(RULES[1])
        if self._breaks_rule_8(project):
            return self._take_back(RULES[7])
        for one_tranche in _distinct(changed_tranches):
            if self._breaks_rule_9(one_tranche):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(project):
            return self._take_back(RULES[9])
        for one_tranche in _distinct(
            [*changed_tranches, *self._tranches_by_project_status.get((project["id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_11(one_tranche):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(project):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: terminate {project['title']}.", "data": self._changes()}

    def _show_call(self, call: Call) -> dict[str, Any]:
        """The call as an answer shows it."""
        return {**call, "committed": self._call_committed(call), "left": self._call_left(call)}

    def _show_reviewer(self, reviewer: Reviewer) -> dict[str, Any]:
        """The reviewer as an answer shows it."""
        return {
            **reviewer,
            "conflict_ids": [*reviewer["conflict_ids"]],
            "busy_with": self._reviewer_busy_with(reviewer),
        }

    def _show_project(self, project: Project) -> dict[str, Any]:
        """The project as an answer shows it."""
        return {
            **project,
            "total": self._project_total(project),
            "scored": self._project_scored(project),
            "average": self._project_average(project),
            "paid": self._project_paid(project),
            "moved": self._project_moved(project),
        }

    def _names_of_reviewers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviewers point to."""
        return _names((self.organisations, "name", [each for row in shown for each in row["conflict_ids"]]))

    def _names_of_projects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that projects point to."""
        return _names(
            (self.calls, "name", [row["call_id"] for row in shown]),
            (self.organisations, "name", [row["organisation_id"] for row in shown]),
        )

    def _names_of_budget_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that budget lines point to."""
        return _names((self.projects, "title", [row["project_id"] for row in shown]))

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names(
            (self.projects, "title", [row["project_id"] for row in shown]),
            (self.reviewers, "name", [row["reviewer_id"] for row in shown]),
        )

    def _names_of_tranches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tranches point to."""
        return _names((self.projects, "title", [row["project_id"] for row in shown]))

    def _names_of_reports(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reports point to."""
        return _names((self.projects, "title", [row["project_id"] for row in shown]))

    def _call_committed(self, call: Call) -> int:
        """The committed of a call."""
        return sum(
            self._project_total(p) - p["refunded"]
            if p["status"] in ("granted", "completed")
            else self._project_paid(p)
            for p in self._projects_by_call.get(call["id"], {}).values()
        )

    def _call_left(self, call: Call) -> int:
        """The left of a call."""
        return call["pot"] - self._call_committed(call)

    def _reviewer_busy_with(self, reviewer: Reviewer) -> int:
        """The busy with of a reviewer."""
        return sum(1 for r in self._reviews_by_reviewer.get(reviewer["id"], {}).values() if r["score"] is None)

    def _project_total(self, project: Project) -> int:
        """The total of a project."""
        return sum(b["amount"] for b in self._budget_lines_by_project.get(project["id"], {}).values())

    def _project_scored(self, project: Project) -> int:
        """The scored of a project."""
        return sum(1 for r in self._reviews_by_project.get(project["id"], {}).values() if r["score"] is not None)

    def _project_average(self, project: Project) -> int:
        """The average of a project."""
        return floor(
            _mean(
                [
                    r["score"]
                    for r in self._reviews_by_project.get(project["id"], {}).values()
                    if r["score"] is not None
                ]
            )
            if _mean(
                [
                    r["score"]
                    for r in self._reviews_by_project.get(project["id"], {}).values()
                    if r["score"] is not None
                ]
            ) is not None
            else Fraction(0, 1)
        )

    def _project_paid(self, project: Project) -> int:
        """The paid of a project."""
        return sum(t["amount"] for t in self._tranches_by_project_status.get((project["id"], "paid"), {}).values())

    def _project_moved(self, project: Project) -> int:
        """The moved of a project."""
        return sum(
            b["amount"] - b["planned"]
            for b in self._budget_lines_by_project.get(project["id"], {}).values()
            if b["amount"] > b["planned"]
        )

    def _line(self, p: Project, kind: str) -> BudgetLine | None:
        return next(
            (b for b in sorted(self._budget_lines_by_project_kind.get((p["id"], kind), {}).values(), key=_age)),
            None,
        )

    def _last_paid(self, p: Project) -> int | None:
        return max(
            (t["number"] for t in self._tranches_by_project_status.get((p["id"], "paid"), {}).values()),
            default=None,
        )

    def _reported(self, p: Project, n: int) -> bool:
        return any(
            r["spent"] * 10 >= 7 * sum(
                t["amount"]
                for t in self._tranches_by_project.get(p["id"], {}).values()
                if t["number"] <= n
            )
            for r in self._reports_by_project.get(p["id"], {}).values()
            if r["after"] == n
        )

    def _payable(self, t: Tranche) -> bool:
        return (
            t["status"] == "planned"
            and (
                t["number"] == 1
                or self._last_paid(self.projects[t["project_id"]]) == t["number"] - 1
                and self._reported(self.projects[t["project_id"]], t["number"] - 1)
            )
        )

    def _may_review(self, v: Reviewer, p: Project) -> bool:
        return (
            p["organisation_id"] not in v["conflict_ids"]
            and self._reviewer_busy_with(v) < v["most"]
            and not self._reviews_by_project_reviewer.get((p["id"], v["id"]), {})
        )

    def _ready(self, p: Project) -> bool:
        return (
            p["status"] == "submitted"
            and self._project_scored(p) >= 2
            and self._project_average(p) >= self.calls[p["call_id"]]["least_score"]
        )

    def _breaks_rule_1(self, c: Call) -> bool:
        """Whether this is broken: a call never commits more than its pot."""
        return self._call_committed(c) > c["pot"]

    def _breaks_rule_2(self, r: Review) -> bool:
        """Whether this is broken: nobody reviews a project of an organisation they have a conflict with."""
        return (
            self.projects[r["project_id"]]["organisation_id"] in self.reviewers[r["reviewer_id"]]["conflict_ids"]
            and self.projects[r["project_id"]]["status"] == "submitted"
        )

    def _breaks_rule_3(self, v: Reviewer) -> bool:
        """Whether this is broken: a reviewer has no more reviews to write than they agreed to."""
        return self._reviewer_busy_with(v) > v["most"]

    def _breaks_rule_4(self, r: Review) -> bool:
        """Whether this is broken: a reviewer reviews a project once."""
        return any(
            other_r is not r
            for other_r in self._reviews_by_project_reviewer.get((r["project_id"], r["reviewer_id"]), {}).values()
        )

    def _breaks_rule_5(self, b: BudgetLine) -> bool:
        """Whether this is broken: a budget has each kind of line once."""
        return any(
            other_b is not b
            for other_b in self._budget_lines_by_project_kind.get((b["project_id"], b["kind"]), {}).values()
        )

    def _breaks_rule_6(self, b: BudgetLine) -> bool:
        """Whether this is broken: overhead is at most 15 percent of a project."""
        return (
            b["kind"] == "overhead"
            and b["amount"] * 100 > 15 * self._project_total(self.projects[b["project_id"]])
        )

    def _breaks_rule_7(self, p: Project) -> bool:
        """Whether this is broken: at most a fifth of a budget is moved between its lines."""
        return self._project_moved(p) * 5 > self._project_total(p)

    def _breaks_rule_8(self, p: Project) -> bool:
        """Whether this is broken: the tranches of a granted project add up to its budget."""
        return (
            p["status"] == "granted"
            and sum(
                t["amount"]
                for t in self._tranches_by_project.get(p["id"], {}).values()
            ) != self._project_total(p)
        )

    def _breaks_rule_9(self, t: Tranche) -> bool:
        """Whether this is broken: a tranche after the first is paid on a report about those before it."""
        return not (
            t["status"] != "paid"
            or t["number"] == 1
            or self._reported(self.projects[t["project_id"]], t["number"] - 1)
        )

    def _breaks_rule_10(self, p: Project) -> bool:
        """Whether this is broken: a granted project was scored at least twice and reached the score of its call."""
        return (
            p["status"] in ("granted", "completed", "terminated")
            and (self._project_scored(p) < 2 or self._project_average(p) < self.calls[p["call_id"]]["least_score"])
        )

    def _breaks_rule_11(self, t: Tranche) -> bool:
        """Whether this is broken: a project that has ended has no tranche left to pay."""
        return t["status"] == "planned" and self.projects[t["project_id"]]["status"] != "granted"

    def _breaks_rule_12(self, p: Project) -> bool:
        """Whether this is broken: an organisation has one project under way in a call."""
        return (
            p["status"] in ("submitted", "granted")
            and any(
                other_p is not p
                for other_p in self._projects_by_call_organisation.get(
                    (p["call_id"], p["organisation_id"]),
                    {},
                ).values()
                if other_p["status"] in ("submitted", "granted")
            )
        )

    def _breaks_rule_13_r(self, r: Report) -> bool:
        """Whether this is broken: there is one report after each tranche, about no more than was paid until then."""
        return any(
            other_r is not r
            for other_r in self._reports_by_project.get(r["project_id"], {}).values()
            if other_r["after"] == r["after"]
        )

    def _breaks_rule_13_r_again(self, r: Report) -> bool:
        """Whether this is broken: there is one report after each tranche, about no more than was paid until then."""
        return r["spent"] > sum(
            t["amount"]
            for t in self._tranches_by_project.get(r["project_id"], {}).values()
            if t["number"] <= r["after"]
        )

    def _breaks_rule_14(self, p: Project) -> bool:
        """Whether this is broken: no project asks for more than its call gives to one."""
        return self._project_total(p) > self.calls[p["call_id"]]["most_each"]

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
            case "projects":
                self._projects_by_call.setdefault(record["call_id"], {})[record["id"]] = record
                self._projects_by_call_organisation.setdefault(
                    (record["call_id"], record["organisation_id"]),
                    {},
                )[record["id"]] = record
                self._projects_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "budget_lines":
                self._budget_lines_by_project.setdefault(record["project_id"], {})[record["id"]] = record
                self._budget_lines_by_project_kind.setdefault(
                    (record["project_id"], record["kind"]),
                    {},
                )[record["id"]] = record
            case "reviews":
                self._reviews_by_project.setdefault(record["project_id"], {})[record["id"]] = record
                self._reviews_by_project_reviewer.setdefault(
                    (record["project_id"], record["reviewer_id"]),
                    {},
                )[record["id"]] = record
                self._reviews_by_reviewer.setdefault(record["reviewer_id"], {})[record["id"]] = record
            case "tranches":
                self._tranches_by_project.setdefault(record["project_id"], {})[record["id"]] = record
                self._tranches_by_project_status.setdefault(
                    (record["project_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "reports":
                self._reports_by_project.setdefault(record["project_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "projects":
                del self._projects_by_call[record["call_id"]][record["id"]]
                del self._projects_by_call_organisation[record["call_id"], record["organisation_id"]][record["id"]]
                del self._projects_by_title[record["title"]][record["id"]]
            case "budget_lines":
                del self._budget_lines_by_project[record["project_id"]][record["id"]]
                del self._budget_lines_by_project_kind[record["project_id"], record["kind"]][record["id"]]
            case "reviews":
                del self._reviews_by_project[record["project_id"]][record["id"]]
                del self._reviews_by_project_reviewer[record["project_id"], record["reviewer_id"]][record["id"]]
                del self._reviews_by_reviewer[record["reviewer_id"]][record["id"]]
            case "tranches":
                del self._tranches_by_project[record["project_id"]][record["id"]]
                del self._tranches_by_project_status[record["project_id"], record["status"]][record["id"]]
            case "reports":
                del self._reports_by_project[record["project_id"]][record["id"]]
