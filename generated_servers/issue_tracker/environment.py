"""Issue tracker. Compiled from blueprint.yaml; run `envscaler build issue_tracker` after changing it there.

Tracks the issues of software projects through sprints, reviews and releases, with what blocks what and who
works on it.
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
    "Issues never block each other in a circle.",
    "An issue is not blocked by the issue it is part of.",
    "Nothing is in progress or in review while an issue that blocks it is open.",
    "Nobody works on more issues at once than their limit.",
    "Work under way has an assignee and is in the active sprint of its project.",
    "An issue in review has a reviewer, who is not its assignee.",
    "The issues of a sprint never have more points than its capacity.",
    "A project has at most one active sprint.",
    "The sprint, the release and the whole that an issue belongs to are of its own project.",
    "A shipped release has only finished issues, and a date.",
    "A closed sprint keeps only finished issues.",
    "An issue is not finished or dropped while a part of it is open.",
    "Only finished issues have a date on which they were done, and dropped ones are in no sprint or release.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "report_issue",
    "reestimate_issue",
    "plan_issue",
    "assign_issue",
    "set_blockers",
    "start_work",
    "submit_for_review",
    "decide_review",
    "reopen_issue",
    "drop_issue",
    "start_sprint",
    "ship_release",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "members": ("name",),
    "projects": ("name",),
    "sprints": ("name",),
    "releases": ("version",),
    "issues": ("title",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("issues", "assignee_id"),
    ("issues", "blocked_by_ids"),
    ("issues", "parent_id"),
    ("issues", "release_id"),
    ("issues", "reviewer_id"),
    ("issues", "sprint_id"),
    ("issues", "status"),
    ("issues", "title"),
    ("sprints", "project_id"),
    ("sprints", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Member(TypedDict):
    id: str
    name: str
    role: Literal["developer", "tester", "designer"]
    wip_limit: int


class Project(TypedDict):
    id: str
    name: str
    key: str
    lead_id: str


class Sprint(TypedDict):
    id: str
    name: str
    project_id: str
    starts: str
    ends: str
    capacity: int
    status: Literal["planned", "active", "closed"]


class Release(TypedDict):
    id: str
    version: str
    project_id: str
    due: str
    shipped_on: str | None
    status: Literal["open", "shipped"]


class Issue(TypedDict):
    id: str
    title: str
    project_id: str
    kind: Literal["bug", "feature", "chore", "epic"]
    priority: Literal["low", "normal", "high", "urgent"]
    points: int
    reporter_id: str
    reported_on: str
    parent_id: str | None
    blocked_by_ids: list[str]
    assignee_id: str | None
    reviewer_id: str | None
    sprint_id: str | None
    release_id: str | None
    done_on: str | None
    status: Literal["todo", "in_progress", "dropped", "in_review", "done"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


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


class IssueTracker:
    """Tracks the issues of software projects through sprints, reviews and releases, with what blocks what
    and who works on it.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.projects: dict[str, Project] = _copied(config.get("projects", {}))
        self.sprints: dict[str, Sprint] = _copied(config.get("sprints", {}))
        self.releases: dict[str, Release] = _copied(config.get("releases", {}))
        self.issues: dict[str, Issue] = _copied(config.get("issues", {}))
        self.now: str = config.get("now", "2026-03-02T09:30")
        self.counters: dict[str, int] = {
            "member": len(self.members),
            "project": len(self.projects),
            "sprint": len(self.sprints),
            "release": len(self.releases),
            "issue": len(self.issues),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sprints_by_project_status: dict[Any, dict[str, Sprint]] = {}
        self._issues_by_assignee_status: dict[Any, dict[str, Issue]] = {}
        self._issues_by_blocked_by: dict[Any, dict[str, Issue]] = {}
        self._issues_by_parent: dict[Any, dict[str, Issue]] = {}
        self._issues_by_release: dict[Any, dict[str, Issue]] = {}
        self._issues_by_release_status: dict[Any, dict[str, Issue]] = {}
        self._issues_by_reviewer_status: dict[Any, dict[str, Issue]] = {}
        self._issues_by_sprint: dict[Any, dict[str, Issue]] = {}
        self._issues_by_sprint_status: dict[Any, dict[str, Issue]] = {}
        self._issues_by_title: dict[Any, dict[str, Issue]] = {}
        for sprint in self.sprints.values():
            self._link("sprints", sprint)
        for issue in self.issues.values():
            self._link("issues", issue)

    def sprint_board(self, sprint_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The issues of a sprint in the order of the board, with their assignees and what still blocks them.

        Args:
            sprint_id (str): Id of the sprint, such as SPRINT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issues": records}} or {"success": False, "error": why
                not}
        """
        sprint = self.sprints.get(sprint_id)
        if sprint is None:
            return _refused(f"There is no sprint {sprint_id!r}.")
        found = [i for i in self._issues_by_sprint.get(sprint_id, {}).values()]
        found.sort(
            key=lambda i: (
                1 if i[
                    "status"
                ] == "todo" else 2 if i["status"] == "in_progress" else 3 if i["status"] == "in_review" else 4,
                i["id"],
                _age(i),
            )
        )
        shown = [
            {
                "issue_id": i["id"],
                "title": i["title"],
                "status": i["status"],
                "priority": i["priority"],
                "points": i["points"],
                "assignee": i["assignee_id"],
                "reviewer": i["reviewer_id"],
                "open_blockers": self._issue_open_blockers(i),
            }
            for i in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "issues": shown},
            _names(
                (self.members, "name", [row["assignee"] for row in shown]),
                (self.members, "name", [row["reviewer"] for row in shown]),
            ),
        )

    def ready_to_start(
        self,
        assignee_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The issues of active sprints on which work could start now, if wanted only those of one assignee.

        Args:
            assignee_id (str, optional): Member to whom the issues are assigned; an id such as MEMBER-00001. If
                left out, the issues of all members are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issues": records}} or {"success": False, "error": why
                not}
        """
        assignee = self.members.get(assignee_id) if assignee_id is not None else None
        if assignee_id is not None and assignee is None:
            return _refused(f"There is no member {assignee_id!r}.")
        found = [
            i
            for i in self.issues.values()
            if (
                i["status"] == "todo"
                and i["sprint_id"] is not None
                and self.sprints[i["sprint_id"]]["status"] == "active"
                and self._issue_open_blockers(i) == 0
                and i["assignee_id"] is not None
            )
            and (assignee_id is None or i["assignee_id"] == assignee_id)
            and self._member_working_on(self.members[i["assignee_id"]]) < self.members[i["assignee_id"]]["wip_limit"]
        ]
        found.sort(
            key=lambda i: (
                1 if i[
                    "priority"
                ] == "urgent" else 2 if i["priority"] == "high" else 3 if i["priority"] == "normal" else 4,
                i["id"],
                _age(i),
            )
        )
        return _found(
            {
                "total": len(found),
                "issues": [
                    {
                        "issue_id": i["id"],
                        "title": i["title"],
                        "project": self.projects[i["project_id"]]["name"],
                        "priority": i["priority"],
                        "assignee": self.members[i["assignee_id"]]["name"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def blocking_chain(self, issue_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Every open issue that must be finished before an issue can be worked on, directly or through others,
        nearest first.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issues": records}} or {"success": False, "error": why
                not}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        found = [b for b in _above(self.issues, issue, "blocked_by_ids") if not self._settled(b)]
        shown = [
            {
                "issue_id": b["id"],
                "title": b["title"],
                "project": self.projects[b["project_id"]]["name"],
                "status": b["status"],
                "assignee": b["assignee_id"],
                "open_blockers": self._issue_open_blockers(b),
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "issues": shown},
            _names((self.members, "name", [row["assignee"] for row in shown])),
        )

    def held_up_by(self, issue_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The open issues that an issue blocks directly.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issues": records}} or {"success": False, "error": why
                not}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        found = [
            d
            for d in _distinct(self._issues_by_blocked_by.get(issue_id, {}).values())
            if (issue_id in d["blocked_by_ids"] and not self._settled(d))
        ]
        found.sort(key=lambda d: (d["id"], _age(d)))
        return _found(
            {
                "total": len(found),
                "issues": [
                    {
                        "issue_id": d["id"],
                        "title": d["title"],
                        "status": d["status"],
                        "priority": d["priority"],
                        "other_open_blockers": sum(
                            1
                            for b in [self.issues[key] for key in d["blocked_by_ids"]]
                            if b is not issue
                            and not self._settled(b)
                        ),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def release_readiness(self, release_id: str) -> Result:
        """How far a release is, in issues and points.

        Args:
            release_id (str): Id of the release, such as RELEASE-00001.

        Returns:
            dict: {"success": True, "data": {issues, done, in_review, points_left, days_left}} or {"success":
                False, "error": why not}
        """
        release = self.releases.get(release_id)
        if release is None:
            return _refused(f"There is no release {release_id!r}.")
        return _found(
            {
                "issues": len(self._issues_by_release.get(release_id, {})),
                "done": len(self._issues_by_release_status.get((release_id, "done"), {})),
                "in_review": len(self._issues_by_release_status.get((release_id, "in_review"), {})),
                "points_left": sum(
                    i["points"]
                    for i in self._issues_by_release.get(release_id, {}).values()
                    if i["status"] != "done"
                ),
                "days_left": _days_between(self.now[:10], release["due"]),
            }
        )

    def list_members(
        self,
        name: Text | None = None,
        role: Literal["developer", "tester", "designer"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            role (str, optional): Only members with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (role is None or member["role"] == role)
        ]
        return _found(
            {"total": len(found), "members": [self._show_member(member) for member in _page(found, offset)]}
        )

    def list_projects(
        self,
        name: Text | None = None,
        lead_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the projects, oldest first, all of them or only some.

        Args:
            name (str, optional): Only projects whose name contains this text.
            lead_id (str, optional): Only projects whose lead is this member.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}}
        """
        if lead_id is not None and lead_id not in self.members:
            return _refused(f"There is no member {lead_id!r}.")
        found = [
            project
            for project in self.projects.values()
            if (name is None or name.casefold() in project["name"].casefold())
            and (lead_id is None or project["lead_id"] == lead_id)
        ]
        shown = [{**project} for project in _page(found, offset)]
        return _found({"total": len(found), "projects": shown}, self._names_of_projects(shown))

    def list_sprints(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        status: Literal["planned", "active", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sprints, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sprints whose name contains this text.
            project_id (str, optional): Only sprints of this project.
            status (str, optional): Only sprints with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sprints": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            sprint
            for sprint in self.sprints.values()
            if (name is None or name.casefold() in sprint["name"].casefold())
            and (project_id is None or sprint["project_id"] == project_id)
            and (status is None or sprint["status"] == status)
        ]
        shown = [self._show_sprint(sprint) for sprint in _page(found, offset)]
        return _found({"total": len(found), "sprints": shown}, self._names_of_sprints(shown))

    def list_releases(
        self,
        version: Text | None = None,
        project_id: str | None = None,
        status: Literal["open", "shipped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the releases, oldest first, all of them or only some.

        Args:
            version (str, optional): Only releases whose version contains this text.
            project_id (str, optional): Only releases of this project.
            status (str, optional): Only releases with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "releases": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            release
            for release in self.releases.values()
            if (version is None or version.casefold() in release["version"].casefold())
            and (project_id is None or release["project_id"] == project_id)
            and (status is None or release["status"] == status)
        ]
        shown = [{**release} for release in _page(found, offset)]
        return _found({"total": len(found), "releases": shown}, self._names_of_releases(shown))

    def list_issues(
        self,
        title: Text | None = None,
        project_id: str | None = None,
        kind: Literal["bug", "feature", "chore", "epic"] | None = None,
        priority: Literal["low", "normal", "high", "urgent"] | None = None,
        reporter_id: str | None = None,
        parent_id: str | None = None,
        assignee_id: str | None = None,
        reviewer_id: str | None = None,
        sprint_id: str | None = None,
        release_id: str | None = None,
        status: Literal["todo", "in_progress", "dropped", "in_review", "done"] | None = None,
        reported_on_from: Date | None = None,
        reported_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the issues, oldest first, all of them or only some.

        Args:
            title (str, optional): Only issues whose title contains this text.
            project_id (str, optional): Only issues of this project.
            kind (str, optional): Only issues with this kind.
            priority (str, optional): Only issues with this priority.
            reporter_id (str, optional): Only issues whose reporter is this member.
            parent_id (str, optional): Only issues whose parent is this issue.
            assignee_id (str, optional): Only issues whose assignee is this member.
            reviewer_id (str, optional): Only issues whose reviewer is this member.
            sprint_id (str, optional): Only issues of this sprint.
            release_id (str, optional): Only issues of this release.
            status (str, optional): Only issues with this status.
            reported_on_from (str, optional): Only issues whose `reported_on` is on this day or later.
            reported_on_to (str, optional): Only issues whose `reported_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issues": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if reporter_id is not None and reporter_id not in self.members:
            return _refused(f"There is no member {reporter_id!r}.")
        if parent_id is not None and parent_id not in self.issues:
            return _refused(f"There is no issue {parent_id!r}.")
        if assignee_id is not None and assignee_id not in self.members:
            return _refused(f"There is no member {assignee_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.members:
            return _refused(f"There is no member {reviewer_id!r}.")
        if sprint_id is not None and sprint_id not in self.sprints:
            return _refused(f"There is no sprint {sprint_id!r}.")
        if release_id is not None and release_id not in self.releases:
            return _refused(f"There is no release {release_id!r}.")
        found = [
            issue
            for issue in self.issues.values()
            if (title is None or title.casefold() in issue["title"].casefold())
            and (project_id is None or issue["project_id"] == project_id)
            and (kind is None or issue["kind"] == kind)
            and (priority is None or issue["priority"] == priority)
            and (reporter_id is None or issue["reporter_id"] == reporter_id)
            and (parent_id is None or issue["parent_id"] == parent_id)
            and (assignee_id is None or issue["assignee_id"] == assignee_id)
            and (reviewer_id is None or issue["reviewer_id"] == reviewer_id)
            and (sprint_id is None or issue["sprint_id"] == sprint_id)
            and (release_id is None or issue["release_id"] == release_id)
            and (status is None or issue["status"] == status)
            and (reported_on_from is None or issue["reported_on"] >= reported_on_from)
            and (reported_on_to is None or issue["reported_on"] <= reported_on_to)
        ]
        shown = [self._show_issue(issue) for issue in _page(found, offset)]
        return _found({"total": len(found), "issues": shown}, self._names_of_issues(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def report_issue(
        self,
        title: Text,
        project_id: str,
        kind: Literal["bug", "feature", "chore", "epic"],
        priority: Literal["low", "normal", "high", "urgent"],
        points: Annotated[int, {"minimum": 1, "maximum": 13}],
        reporter_id: str,
        parent_id: str | None = None,
    ) -> Result:
        """Report a new issue of a project, with its estimate and, if it is part of a larger one, that issue.

        Args:
            title (str): Title of the new issue, not in use yet.
            project_id (str): Id of the project, such as PROJECT-00001.
            kind (str): Kind of issue, an epic being the largest: bug, feature, chore or epic.
            priority (str): Priority of the issue: low, normal, high or urgent.
            points (int): Estimated effort, in points, from 1 to 13.
            reporter_id (str): Member who reports it; an id such as MEMBER-00001.
            parent_id (str, optional): Unfinished issue of the same project that it is part of; an id such as
                ISSUE-00001. If left out, it is part of no other issue.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        reporter = self.members.get(reporter_id)
        if reporter is None:
            return _refused(f"There is no member {reporter_id!r}.")
        parent = self.issues.get(parent_id) if parent_id is not None else None
        if parent_id is not None and parent is None:
            return _refused(f"There is no issue {parent_id!r}.")
        if self._issues_by_title.get(title, {}):
            return _refused(f"There is an issue called {title} already.")
        if parent_id is not None and parent["project_id"] != project_id:
            return _refused(
                f"{parent['title']} is an issue of {self.projects[parent['project_id']]['name']}, not of "
                f"{project['name']}."
            )
        if parent_id is not None and self._settled(parent):
            return _refused(f"{parent['title']} is {parent['status']} and takes no new parts.")
        if kind == "epic" and parent_id is not None:
            return _refused("An epic is never part of another issue.")
        done = f"report the {kind} {title} in {project['name']} with {points} points and {priority} priority, for {reporter['name']}"
        if parent is not None:
            done += f", as a part of {parent['title']}"
        self._journal = []
        issue: Issue = {
            "id": self._new_id("issue", "ISSUE", self.issues),
            "title": title,
            "project_id": project_id,
            "kind": kind,
            "priority": priority,
            "points": points,
            "reporter_id": reporter_id,
            "reported_on": self.now[:10],
            "parent_id": parent_id,
            "blocked_by_ids": [record["id"] for record in []],
            "assignee_id": None,
            "reviewer_id": None,
            "sprint_id": None,
            "release_id": None,
            "done_on": None,
            "status": "todo",
        }
        self._add("issues", issue)
        if len(self._issues_by_title.get(issue["title"], {})) > 1:
            return self._take_back(f"There is already an issue with the title {issue['title']!r}.")
        if self._breaks_rule_1(issue):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(issue):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(issue):
            return self._take_back(RULES[2])
        for one_member in _distinct([self.members.get(issue["assignee_id"])]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(issue):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(issue):
            return self._take_back(RULES[5])
        for one_sprint in _distinct([self.sprints.get(issue["sprint_id"])]):
            if self._breaks_rule_7(one_sprint):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(issue):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_i(issue):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(issue):
            return self._take_back(RULES[10])
        for one_issue in _distinct([issue, self.issues.get(issue["parent_id"])]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(issue):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: {done} (new: issue {issue['id']}).",
            "data": {"issue_id": issue["id"], **self._changes()},
        }

    def reestimate_issue(
        self,
        issue_id: str,
        points: Annotated[int, {"minimum": 1, "maximum": 13}] | None = None,
        priority: Literal["low", "normal", "high", "urgent"] | None = None,
    ) -> Result:
        """Change the points or the priority of an issue that is neither finished nor dropped.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            points (int, optional): New estimated effort, in points, from 1 to 13. If left out, the points stay as
                they are.
            priority (str, optional): New priority of the issue: low, normal, high or urgent. If left out, the
                priority stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        if self._settled(issue):
            return _refused(f"{issue['title']} is {issue['status']}.")
        size = points if points is not None else issue["points"]
        if size == issue["points"] and (priority if priority is not None else issue["priority"]) == issue["priority"]:
            return _refused(
                f"{issue['title']} has {issue['points']} points and {issue['priority']} priority already."
            )
        sprint = self.sprints.get(issue["sprint_id"])
        if sprint is not None and self._sprint_committed(sprint) - issue["points"] + size > sprint["capacity"]:
            return _refused(
                f"{sprint['name']} has {self._sprint_committed(sprint)} of {sprint['capacity']} points, so "
                f"{issue['title']} must leave it before it grows to {size}."
            )
        self._journal = []
        if not 1 <= size <= 13:
            return self._take_back(f"The points of {issue['title']} must be between 1 and 13.")
        self._put("issues", issue, "points", size)
        self._put("issues", issue, "priority", priority if priority is not None else issue["priority"])
        for one_sprint in _distinct([self.sprints.get(issue["sprint_id"])]):
            if self._breaks_rule_7(one_sprint):
                return self._take_back(RULES[6])
        done = f"estimate {issue['title']} anew"
        if points is not None:
            done += f" at {points} points"
        if priority is not None:
            done += f" with {priority} priority"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def plan_issue(self, issue_id: str, sprint_id: str | None = None, release_id: str | None = None) -> Result:
        """Put an issue into a sprint and a release; what is left out is taken away, so that without both it goes back
        to the backlog.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            sprint_id (str, optional): Sprint of the same project, also where the present one stays; an id such as
                SPRINT-00001. If left out, the issue is taken out of its sprint.
            release_id (str, optional): Open release of the same project, also where the present one stays; an id
                such as RELEASE-00001. If left out, the issue is taken out of its release.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        sprint = self.sprints.get(sprint_id) if sprint_id is not None else None
        if sprint_id is not None and sprint is None:
            return _refused(f"There is no sprint {sprint_id!r}.")
        release = self.releases.get(release_id) if release_id is not None else None
        if release_id is not None and release is None:
            return _refused(f"There is no release {release_id!r}.")
        if self._settled(issue):
            return _refused(f"{issue['title']} is {issue['status']}.")
        if sprint_id == issue["sprint_id"] and release_id == issue["release_id"]:
            return _refused(f"{issue['title']} is planned like that already.")
        if issue["status"] != "todo" and sprint_id != issue["sprint_id"]:
            return _refused(f"Work on {issue['title']} is under way, so it stays in its sprint.")
        if sprint_id is not None and sprint["project_id"] != issue["project_id"]:
            return _refused(
                f"{sprint['name']} is a sprint of {self.projects[sprint['project_id']]['name']}, not of "
                f"{self.projects[issue['project_id']]['name']}."
            )
        if sprint_id is not None and sprint["status"] == "closed":
            return _refused(f"{sprint['name']} is closed.")
        if (
            sprint_id is not None
            and sprint_id != issue["sprint_id"]
            and self._sprint_committed(sprint) + issue["points"] > sprint["capacity"]
        ):
            return _refused(
                f"{sprint['name']} has {self._sprint_committed(sprint)} of {sprint['capacity']} points, so the "
                f"{issue['points']} of {issue['title']} do not fit."
            )
        if release_id is not None and release["project_id"] != issue["project_id"]:
            return _refused(
                f"{release['version']} is a release of {self.projects[release['project_id']]['name']}, not of "
                f"{self.projects[issue['project_id']]['name']}."
            )
        if release_id is not None and release["status"] != "open":
            return _refused(f"{release['version']} has been shipped.")
        self._journal = []
        former_sprint_id = issue["sprint_id"]
        self._put("issues", issue, "sprint_id", sprint_id)
        self._put("issues", issue, "release_id", release_id)
        if self._breaks_rule_5(issue):
            return self._take_back(RULES[4])
        for one_sprint in _distinct([self.sprints.get(issue["sprint_id"]), self.sprints.get(former_sprint_id)]):
            if self._breaks_rule_7(one_sprint):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(issue):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_i(issue):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(issue):
            return self._take_back(RULES[10])
        if self._breaks_rule_13(issue):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: plan {issue['title']} for {sprint['name'] if sprint_id is not None else 'no sprint'} and "
                f"{release['version'] if release_id is not None else 'no release'}."
            ),
            "data": self._changes(),
        }

    def assign_issue(self, issue_id: str, assignee_id: str | None = None) -> Result:
        """Assign an issue to a member; without one it is unassigned, and work in progress goes back to be done.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            assignee_id (str, optional): Member who is to do the work; an id such as MEMBER-00001. If left out, the
                issue is unassigned, and work in progress goes back to be done.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        assignee = self.members.get(assignee_id) if assignee_id is not None else None
        if assignee_id is not None and assignee is None:
            return _refused(f"There is no member {assignee_id!r}.")
        if issue["status"] not in ("todo", "in_progress"):
            return _refused(f"{issue['title']} is {issue['status']}.")
        if assignee_id == issue["assignee_id"]:
            return _refused(f"{issue['title']} is assigned like that already.")
        if (
            issue["status"] == "in_progress"
            and assignee_id is not None
            and self._member_working_on(assignee) >= assignee["wip_limit"]
        ):
            return _refused(
                f"{assignee['name']} works on {self._member_working_on(assignee)} issues already, which is the limit."
            )
        self._journal = []
        changed_issues: list[Any] = []
        if issue["status"] == "in_progress" and assignee_id is None:
            changed_issues.append(issue)
            self._put("issues", issue, "status", "todo")
        former_assignee_id = issue["assignee_id"]
        self._put("issues", issue, "assignee_id", assignee_id)
        for one_issue in _distinct(
            [
                *changed_issues,
                *[user for one in changed_issues for user in self._issues_by_blocked_by.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_issue):
                return self._take_back(RULES[2])
        for one_member in _distinct(
            [
                self.members.get(issue["assignee_id"]),
                self.members.get(former_assignee_id),
                *[self.members.get(one["assignee_id"]) for one in changed_issues],
            ]
        ):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_issue in _distinct([issue, *changed_issues]):
            if self._breaks_rule_5(one_issue):
                return self._take_back(RULES[4])
        for one_issue in _distinct([issue, *changed_issues]):
            if self._breaks_rule_6(one_issue):
                return self._take_back(RULES[5])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_10_i(one_issue):
                return self._take_back(RULES[9])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_11(one_issue):
                return self._take_back(RULES[10])
        for one_issue in _distinct([*changed_issues, *[self.issues.get(one["parent_id"]) for one in changed_issues]]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_13(one_issue):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: assign {issue['title']} to {assignee['name'] if assignee_id is not None else 'nobody'}."
            ),
            "data": self._changes(),
        }

    def set_blockers(self, issue_id: str, blocker_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """State which issues block an issue; an empty list unblocks it.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            blocker_ids (list): All issues that block it from now on, possibly none: ids of issues, such as
                ISSUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        blockers = []
        for key in blocker_ids:
            if key not in self.issues:
                return _refused(f"There is no issue {key!r}.")
            blockers.append(self.issues[key])
        if self._settled(issue):
            return _refused(f"{issue['title']} is {issue['status']}.")
        if not _different([b["id"] for b in blockers]):
            return _refused("An issue is named twice.")
        if issue in blockers:
            return _refused(f"{issue['title']} cannot block itself.")
        circle = next((b for b in blockers if issue in _above(self.issues, b, "blocked_by_ids")), None)
        if circle is not None:
            return _refused(f"{issue['title']} blocks {circle['title']}, so it cannot be blocked by it.")
        if issue["parent_id"] is not None and self.issues[issue["parent_id"]] in blockers:
            return _refused(
                f"{issue['title']} is a part of {self.issues[issue['parent_id']]['title']} and cannot wait for it."
            )
        unfinished = next((b for b in blockers if not self._settled(b)), None)
        if self._under_way(issue) and unfinished is not None:
            return _refused(f"Work on {issue['title']} is under way, so {unfinished['title']} cannot block it.")
        self._journal = []
        self._put("issues", issue, "blocked_by_ids", [record["id"] for record in blockers])
        if self._breaks_rule_1(issue):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(issue):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(issue):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: let {issue['title']} be blocked by {', '.join(str(one['title']) for one in blockers)}."
            ),
            "data": self._changes(),
        }

    def start_work(self, issue_id: str) -> Result:
        """Start work on an assigned issue of the active sprint that nothing blocks.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        if issue["status"] != "todo":
            return _refused(f"{issue['title']} is {issue['status']}.")
        worker = self.members.get(issue["assignee_id"])
        if worker is None:
            return _refused(f"{issue['title']} has no assignee.")
        sprint = self.sprints.get(issue["sprint_id"])
        if sprint is None:
            return _refused(f"{issue['title']} is in the backlog and must be planned for a sprint first.")
        if sprint["status"] != "active":
            return _refused(f"{sprint['name']} is {sprint['status']}.")
        blocker = self._open_blocker(issue)
        if blocker is not None:
            return _refused(f"{issue['title']} is blocked by {blocker['title']}, which is {blocker['status']}.")
        if self._member_working_on(worker) >= worker["wip_limit"]:
            return _refused(
                f"{worker['name']} works on {self._member_working_on(worker)} issues already, which is the limit."
            )
        self._journal = []
        self._put("issues", issue, "status", "in_progress")
        for one_issue in _distinct([issue, *self._issues_by_blocked_by.get(issue["id"], {}).values()]):
            if self._breaks_rule_3(one_issue):
                return self._take_back(RULES[2])
        for one_member in _distinct([self.members.get(issue["assignee_id"])]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(issue):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(issue):
            return self._take_back(RULES[5])
        if self._breaks_rule_10_i(issue):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(issue):
            return self._take_back(RULES[10])
        for one_issue in _distinct([issue, self.issues.get(issue["parent_id"])]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(issue):
            return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: start work on {issue['title']}.", "data": self._changes()}

    def submit_for_review(self, issue_id: str, reviewer_id: str) -> Result:
        """Hand work in progress to another member for review.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            reviewer_id (str): Member who reviews the work, not the one who did it; an id such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        reviewer = self.members.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no member {reviewer_id!r}.")
        if issue["status"] != "in_progress":
            return _refused(f"{issue['title']} is {issue['status']}.")
        if reviewer_id == issue["assignee_id"]:
            return _refused(f"{reviewer['name']} did the work and cannot review it.")
        if self._issue_open_parts(issue) != 0:
            return _refused(
                f"{self._issue_open_parts(issue)} parts of {issue['title']} are still open; finish or drop them "
                "first."
            )
        self._journal = []
        self._put("issues", issue, "reviewer_id", reviewer_id)
        self._put("issues", issue, "status", "in_review")
        for one_issue in _distinct([issue, *self._issues_by_blocked_by.get(issue["id"], {}).values()]):
            if self._breaks_rule_3(one_issue):
                return self._take_back(RULES[2])
        for one_member in _distinct([self.members.get(issue["assignee_id"])]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(issue):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(issue):
            return self._take_back(RULES[5])
        if self._breaks_rule_10_i(issue):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(issue):
            return self._take_back(RULES[10])
        for one_issue in _distinct([issue, self.issues.get(issue["parent_id"])]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(issue):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: hand {issue['title']} to {reviewer['name']} for review.",
            "data": self._changes(),
        }

    def decide_review(self, issue_id: str, approved: bool) -> Result:
        """Decide a review; approved work is done, other work goes back in progress.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            approved (bool): Whether the work is done, as opposed to going back in progress.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        if issue["status"] != "in_review":
            return _refused(f"{issue['title']} is {issue['status']}.")
        worker = self.members.get(issue["assignee_id"])
        if worker is None:
            return _refused(f"{issue['title']} has no assignee.")
        if approved and self._issue_open_parts(issue) != 0:
            return _refused(f"{self._issue_open_parts(issue)} parts of {issue['title']} are still open.")
        if not (approved or self._member_working_on(worker) < worker["wip_limit"]):
            return _refused(
                f"{worker['name']} works on {self._member_working_on(worker)} issues already and cannot take "
                f"{issue['title']} back."
            )
        self._journal = []
        changed_issues: list[Any] = []
        changed_issues_2: list[Any] = []
        changed_issues_3: list[Any] = []
        if approved:
            changed_issues.append(issue)
            self._put("issues", issue, "status", "done")
            changed_issues_2.append(issue)
            self._put("issues", issue, "done_on", self.now[:10])
        else:
            if issue["status"] not in ("todo", "in_progress", "in_review"):
                return self._take_back(f"Issue {issue['title']} cannot go from {issue['status']} to in_progress.")
            changed_issues.append(issue)
            self._put("issues", issue, "status", "in_progress")
            changed_issues_3.append(issue)
            self._put("issues", issue, "reviewer_id", None)
        for one_issue in _distinct(
            [
                *changed_issues,
                *[user for one in changed_issues for user in self._issues_by_blocked_by.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_issue):
                return self._take_back(RULES[2])
        for one_member in _distinct([self.members.get(one["assignee_id"]) for one in changed_issues]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_5(one_issue):
                return self._take_back(RULES[4])
        for one_issue in _distinct([*changed_issues, *changed_issues_3]):
            if self._breaks_rule_6(one_issue):
                return self._take_back(RULES[5])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_10_i(one_issue):
                return self._take_back(RULES[9])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_11(one_issue):
                return self._take_back(RULES[10])
        for one_issue in _distinct([*changed_issues, *[self.issues.get(one["parent_id"]) for one in changed_issues]]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        for one_issue in _distinct([*changed_issues, *changed_issues_2]):
            if self._breaks_rule_13(one_issue):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: {'approve' if approved else 'send back'} the work on {issue['title']}.",
            "data": self._changes(),
        }

    def reopen_issue(self, issue_id: str) -> Result:
        """Reopen a finished or dropped issue that was not shipped and on which no work under way relies.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        if not self._settled(issue):
            return _refused(f"{issue['title']} is {issue['status']}.")
        release = self.releases.get(issue["release_id"])
        if release is not None and release["status"] != "open":
            return _refused(f"{issue['title']} was shipped with {release['version']}.")
        if issue["parent_id"] is not None and self._settled(self.issues[issue["parent_id"]]):
            return _refused(
                f"{issue['title']} is part of {self.issues[issue['parent_id']]['title']}, which is "
                f"{self.issues[issue['parent_id']]['status']}; reopen that first."
            )
        waiting = next(
            (
                d
                for d in sorted(self._issues_by_blocked_by.get(issue_id, {}).values(), key=_age)
                if self._under_way(d)
            ),
            None,
        )
        if waiting is not None:
            return _refused(f"Work on {waiting['title']} is under way and relies on {issue['title']}.")
        self._journal = []
        changed_issues: list[Any] = []
        former_sprint_ids: list[Any] = []
        if issue["status"] not in ("todo", "in_progress", "dropped", "done"):
            return self._take_back(f"Issue {issue['title']} cannot go from {issue['status']} to todo.")
        self._put("issues", issue, "status", "todo")
        self._put("issues", issue, "done_on", None)
        self._put("issues", issue, "reviewer_id", None)
        if issue["sprint_id"] is not None and self.sprints[issue["sprint_id"]]["status"] == "closed":
            changed_issues.append(issue)
            former_sprint_ids.append(issue["sprint_id"])
            self._put("issues", issue, "sprint_id", None)
        for one_issue in _distinct([issue, *self._issues_by_blocked_by.get(issue["id"], {}).values()]):
            if self._breaks_rule_3(one_issue):
                return self._take_back(RULES[2])
        for one_member in _distinct([self.members.get(issue["assignee_id"])]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        for one_issue in _distinct([issue, *changed_issues]):
            if self._breaks_rule_5(one_issue):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(issue):
            return self._take_back(RULES[5])
        for one_sprint in _distinct(
            [
                *[self.sprints.get(one["sprint_id"]) for one in changed_issues],
                *[self.sprints.get(key) for key in former_sprint_ids],
            ]
        ):
            if self._breaks_rule_7(one_sprint):
                return self._take_back(RULES[6])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_9(one_issue):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_i(issue):
            return self._take_back(RULES[9])
        for one_issue in _distinct([issue, *changed_issues]):
            if self._breaks_rule_11(one_issue):
                return self._take_back(RULES[10])
        for one_issue in _distinct([issue, self.issues.get(issue["parent_id"])]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        for one_issue in _distinct([issue, *changed_issues]):
            if self._breaks_rule_13(one_issue):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: reopen {issue['title']}.", "data": self._changes()}

    def drop_issue(self, issue_id: str) -> Result:
        """Drop an issue that will not be done, and take it out of its sprint and release.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        if issue["status"] not in ("todo", "in_progress"):
            return _refused(f"{issue['title']} is {issue['status']}.")
        if self._issue_open_parts(issue) != 0:
            return _refused(f"{self._issue_open_parts(issue)} parts of {issue['title']} are still open.")
        self._journal = []
        self._put("issues", issue, "status", "dropped")
        former_sprint_id = issue["sprint_id"]
        self._put("issues", issue, "sprint_id", None)
        self._put("issues", issue, "release_id", None)
        for one_issue in _distinct([issue, *self._issues_by_blocked_by.get(issue["id"], {}).values()]):
            if self._breaks_rule_3(one_issue):
                return self._take_back(RULES[2])
        for one_member in _distinct([self.members.get(issue["assignee_id"])]):
            if self._breaks_rule_4(one_member):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(issue):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(issue):
            return self._take_back(RULES[5])
        for one_sprint in _distinct([self.sprints.get(issue["sprint_id"]), self.sprints.get(former_sprint_id)]):
            if self._breaks_rule_7(one_sprint):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(issue):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_i(issue):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(issue):
            return self._take_back(RULES[10])
        for one_issue in _distinct([issue, self.issues.get(issue["parent_id"])]):
            if self._breaks_rule_12(one_issue):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(issue):
            return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: drop {issue['title']}.", "data": self._changes()}

    def start_sprint(self, sprint_id: str) -> Result:
        """Start a planned sprint; the running sprint of the project is closed, and its unfinished issues move along.

        Args:
            sprint_id (str): Id of the sprint, such as SPRINT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sprint = self.sprints.get(sprint_id)
        if sprint is None:
            return _refused(f"There is no sprint {sprint_id!r}.")
        if sprint["status"] != "planned":
            return _refused(f"{sprint['name']} is {sprint['status']}.")
        if self.now[:10] < _plus_days(sprint["starts"], -3):
            return _refused(f"{sprint['name']} starts on {sprint['starts']}.")
        if self.now[:10] > sprint["ends"]:
            return _refused(f"{sprint['name']} was over on {sprint['ends']}.")
        old = self._running(self.projects[sprint["project_id"]])
        if old is not None and old["starts"] >= sprint["starts"]:
            return _refused(f"{old['name']} is running and comes after {sprint['name']}.")
        carried = sum(
            i["points"]
            for i in self._issues_by_sprint.get(old["id"] if old is not None else None, {}).values()
            if i["sprint_id"] is not None
            and i["status"] != "done"
        )
        if self._sprint_committed(sprint) + carried > sprint["capacity"]:
            return _refused(
                f"{sprint['name']} has {self._sprint_committed(sprint)} of {sprint['capacity']} points, so the "
                f"{carried} unfinished ones of the running sprint do not fit."
            )
        self._journal = []
        changed_issues: list[Any] = []
        former_sprint_ids: list[Any] = []
        changed_sprints: list[Any] = []
        for i in [
            i
            for i in sorted(self._issues_by_sprint.get(old["id"] if old is not None else None, {}).values(), key=_age)
            if i["sprint_id"] is not None
            and i["status"] != "done"
        ]:
            changed_issues.append(i)
            former_sprint_ids.append(i["sprint_id"])
            self._put("issues", i, "sprint_id", sprint_id)
        if old is not None:
            if old["status"] not in ("active", "closed"):
                return self._take_back(f"Sprint {old['name']} cannot go from {old['status']} to closed.")
            changed_sprints.append(old)
            self._put("sprints", old, "status", "closed")
        if sprint["status"] not in ("planned", "active"):
            return self._take_back(f"Sprint {sprint['name']} cannot go from {sprint['status']} to active.")
        self._put("sprints", sprint, "status", "active")
        for one_issue in _distinct(
            [
                *changed_issues,
                *[user for one in changed_sprints for user in self._issues_by_sprint.get(one["id"], {}).values()],
                *self._issues_by_sprint.get(sprint["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_5(one_issue):
                return self._take_back(RULES[4])
        for one_sprint in _distinct(
            [
                *[self.sprints.get(one["sprint_id"]) for one in changed_issues],
                *[self.sprints.get(key) for key in former_sprint_ids],
            ]
        ):
            if self._breaks_rule_7(one_sprint):
                return self._take_back(RULES[6])
        for one_sprint in _distinct([sprint, *changed_sprints]):
            if self._breaks_rule_8(one_sprint):
                return self._take_back(RULES[7])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_9(one_issue):
                return self._take_back(RULES[8])
        for one_issue in _distinct(
            [
                *changed_issues,
                *[user for one in changed_sprints for user in self._issues_by_sprint.get(one["id"], {}).values()],
                *self._issues_by_sprint.get(sprint["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_issue):
                return self._take_back(RULES[10])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_13(one_issue):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: start sprint {sprint['name']}.", "data": self._changes()}

    def ship_release(self, release_id: str, move_rest_to_id: str | None = None) -> Result:
        """Ship a release with its finished issues; unfinished ones move to another release, if there are any.

        Args:
            release_id (str): Id of the release, such as RELEASE-00001.
            move_rest_to_id (str, optional): Other open release of the project that takes the unfinished issues; an
                id such as RELEASE-00001. If left out, every issue of the release must be done.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        release = self.releases.get(release_id)
        if release is None:
            return _refused(f"There is no release {release_id!r}.")
        move_rest_to = self.releases.get(move_rest_to_id) if move_rest_to_id is not None else None
        if move_rest_to_id is not None and move_rest_to is None:
            return _refused(f"There is no release {move_rest_to_id!r}.")
        if release["status"] != "open":
            return _refused(f"{release['version']} has been shipped already.")
        if not any(i["status"] == "done" for i in self._issues_by_release.get(release_id, {}).values()):
            return _refused(f"{release['version']} has no finished issue.")
        if not (
            move_rest_to_id is None
            or move_rest_to is not release
            and move_rest_to["project_id"] == release["project_id"]
            and move_rest_to["status"] == "open"
        ):
            return _refused(
                f"{move_rest_to['version']} is not another open release of "
                f"{self.projects[release['project_id']]['name']}."
            )
        open_issue = next(
            (
                i
                for i in sorted(self._issues_by_release.get(release_id, {}).values(), key=_age)
                if i["status"] != "done"
            ),
            None,
        )
        if open_issue is not None and move_rest_to_id is None:
            return _refused(
                f"{open_issue['title']} is {open_issue['status']}; finish it or name a release for the rest."
            )
        self._journal = []
        changed_issues: list[Any] = []
        for i in [
            i
            for i in sorted(self._issues_by_release.get(release_id, {}).values(), key=_age)
            if i["status"] != "done"
        ]:
            changed_issues.append(i)
            self._put("issues", i, "release_id", move_rest_to_id)
        self._put("releases", release, "shipped_on", self.now[:10])
        self._put("releases", release, "status", "shipped")
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_9(one_issue):
                return self._take_back(RULES[8])
        for one_issue in _distinct([*changed_issues, *self._issues_by_release.get(release["id"], {}).values()]):
            if self._breaks_rule_10_i(one_issue):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_r(release):
            return self._take_back(RULES[9])
        for one_issue in _distinct(changed_issues):
            if self._breaks_rule_13(one_issue):
                return self._take_back(RULES[12])
        done = f"ship {release['version']}"
        if move_rest_to is not None:
            done += f" and move the rest to {move_rest_to['version']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "working_on": self._member_working_on(member), "reviewing": self._member_reviewing(member)}

    def _show_sprint(self, sprint: Sprint) -> dict[str, Any]:
        """The sprint as an answer shows it."""
        return {**sprint, "committed": self._sprint_committed(sprint), "finished": self._sprint_finished(sprint)}

    def _show_issue(self, issue: Issue) -> dict[str, Any]:
        """The issue as an answer shows it."""
        return {
            **issue,
            "blocked_by_ids": [*issue["blocked_by_ids"]],
            "open_blockers": self._issue_open_blockers(issue),
            "open_parts": self._issue_open_parts(issue),
        }

    def _names_of_projects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that projects point to."""
        return _names((self.members, "name", [row["lead_id"] for row in shown]))

    def _names_of_sprints(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sprints point to."""
        return _names((self.projects, "name", [row["project_id"] for row in shown]))

    def _names_of_releases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that releases point to."""
        return _names((self.projects, "name", [row["project_id"] for row in shown]))

    def _names_of_issues(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that issues point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.members, "name", [row["reporter_id"] for row in shown]),
            (self.issues, "title", [row["parent_id"] for row in shown]),
            (self.issues, "title", [each for row in shown for each in row["blocked_by_ids"]]),
            (self.members, "name", [row["assignee_id"] for row in shown]),
            (self.members, "name", [row["reviewer_id"] for row in shown]),
            (self.sprints, "name", [row["sprint_id"] for row in shown]),
            (self.releases, "version", [row["release_id"] for row in shown]),
        )

    def _member_working_on(self, member: Member) -> int:
        """The working on of a member."""
        return len(self._issues_by_assignee_status.get((member["id"], "in_progress"), {}))

    def _member_reviewing(self, member: Member) -> int:
        """The reviewing of a member."""
        return len(self._issues_by_reviewer_status.get((member["id"], "in_review"), {}))

    def _sprint_committed(self, sprint: Sprint) -> int:
        """The committed of a sprint."""
        return sum(i["points"] for i in self._issues_by_sprint.get(sprint["id"], {}).values())

    def _sprint_finished(self, sprint: Sprint) -> int:
        """The finished of a sprint."""
        return sum(i["points"] for i in self._issues_by_sprint_status.get((sprint["id"], "done"), {}).values())

    def _issue_open_blockers(self, issue: Issue) -> int:
        """The open blockers of an issue."""
        return sum(
            1
            for b in [self.issues[key] for key in issue["blocked_by_ids"]]
            if b["status"] not in ("done", "dropped")
        )

    def _issue_open_parts(self, issue: Issue) -> int:
        """The open parts of an issue."""
        return sum(
            1
            for c in self._issues_by_parent.get(issue["id"], {}).values()
            if c["status"] not in ("done", "dropped")
        )

    def _settled(self, i: Issue) -> bool:
        return i["status"] in ("done", "dropped")

    def _under_way(self, i: Issue) -> bool:
        return i["status"] in ("in_progress", "in_review")

    def _open_blocker(self, i: Issue) -> Issue | None:
        return next((b for b in [self.issues[key] for key in i["blocked_by_ids"]] if not self._settled(b)), None)

    def _running(self, p: Project) -> Sprint | None:
        return next(
            (s for s in sorted(self._sprints_by_project_status.get((p["id"], "active"), {}).values(), key=_age)),
            None,
        )

    def _breaks_rule_1(self, i: Issue) -> bool:
        """Whether this is broken: issues never block each other in a circle."""
        return i in _above(self.issues, i, "blocked_by_ids")

    def _breaks_rule_2(self, i: Issue) -> bool:
        """Whether this is broken: an issue is not blocked by the issue it is part of."""
        return i["parent_id"] is not None and i["parent_id"] in i["blocked_by_ids"]

    def _breaks_rule_3(self, i: Issue) -> bool:
        """Whether this is broken: nothing is in progress or in review while an issue that blocks it is open."""
        return self._under_way(i) and self._issue_open_blockers(i) != 0

    def _breaks_rule_4(self, m: Member) -> bool:
        """Whether this is broken: nobody works on more issues at once than their limit."""
        return self._member_working_on(m) > m["wip_limit"]

    def _breaks_rule_5(self, i: Issue) -> bool:
        """Whether this is broken: work under way has an assignee and is in the active sprint of its project."""
        return (
            self._under_way(i)
            and (
                i["assignee_id"] is None
                or i["sprint_id"] is None
                or self.sprints[i["sprint_id"]]["status"] != "active"
            )
        )

    def _breaks_rule_6(self, i: Issue) -> bool:
        """Whether this is broken: an issue in review has a reviewer, who is not its assignee."""
        return i["status"] == "in_review" and (i["reviewer_id"] is None or i["reviewer_id"] == i["assignee_id"])

    def _breaks_rule_7(self, s: Sprint) -> bool:
        """Whether this is broken: the issues of a sprint never have more points than its capacity."""
        return self._sprint_committed(s) > s["capacity"]

    def _breaks_rule_8(self, s: Sprint) -> bool:
        """Whether this is broken: a project has at most one active sprint."""
        return (
            s["status"] == "active"
            and any(
                other_s is not s
                for other_s in self._sprints_by_project_status.get((s["project_id"], "active"), {}).values()
            )
        )

    def _breaks_rule_9(self, i: Issue) -> bool:
        """Whether this is broken: the sprint, the release and the whole that an issue belongs to are of its own
        project.
        """
        return not (
            (i["sprint_id"] is None or self.sprints[i["sprint_id"]]["project_id"] == i["project_id"])
            and (i["release_id"] is None or self.releases[i["release_id"]]["project_id"] == i["project_id"])
            and (i["parent_id"] is None or self.issues[i["parent_id"]]["project_id"] == i["project_id"])
        )

    def _breaks_rule_10_i(self, i: Issue) -> bool:
        """Whether this is broken: a shipped release has only finished issues, and a date."""
        return (
            i["release_id"] is not None
            and self.releases[i["release_id"]]["status"] == "shipped"
            and i["status"] != "done"
        )

    def _breaks_rule_10_r(self, r: Release) -> bool:
        """Whether this is broken: a shipped release has only finished issues, and a date."""
        return (r["shipped_on"] is not None) != (r["status"] == "shipped")

    def _breaks_rule_11(self, i: Issue) -> bool:
        """Whether this is broken: a closed sprint keeps only finished issues."""
        return (
            i["sprint_id"] is not None
            and self.sprints[i["sprint_id"]]["status"] == "closed"
            and i["status"] != "done"
        )

    def _breaks_rule_12(self, i: Issue) -> bool:
        """Whether this is broken: an issue is not finished or dropped while a part of it is open."""
        return self._settled(i) and self._issue_open_parts(i) != 0

    def _breaks_rule_13(self, i: Issue) -> bool:
        """Whether this is broken: only finished issues have a date on which they were done, and dropped ones are in
        no sprint or release.
        """
        return not (
            (i["done_on"] is not None) == (i["status"] == "done")
            and (i["status"] != "dropped" or i["sprint_id"] is None and i["release_id"] is None)
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
            case "sprints":
                self._sprints_by_project_status.setdefault(
                    (record["project_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "issues":
                self._issues_by_assignee_status.setdefault(
                    (record["assignee_id"], record["status"]),
                    {},
                )[record["id"]] = record
                for key in record["blocked_by_ids"]:
                    self._issues_by_blocked_by.setdefault(key, {})[record["id"]] = record
                self._issues_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
                self._issues_by_release.setdefault(record["release_id"], {})[record["id"]] = record
                self._issues_by_release_status.setdefault(
                    (record["release_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._issues_by_reviewer_status.setdefault(
                    (record["reviewer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._issues_by_sprint.setdefault(record["sprint_id"], {})[record["id"]] = record
                self._issues_by_sprint_status.setdefault(
                    (record["sprint_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._issues_by_title.setdefault(record["title"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sprints":
                del self._sprints_by_project_status[record["project_id"], record["status"]][record["id"]]
            case "issues":
                del self._issues_by_assignee_status[record["assignee_id"], record["status"]][record["id"]]
                for key in record["blocked_by_ids"]:
                    self._issues_by_blocked_by[key].pop(record["id"], None)
                del self._issues_by_parent[record["parent_id"]][record["id"]]
                del self._issues_by_release[record["release_id"]][record["id"]]
                del self._issues_by_release_status[record["release_id"], record["status"]][record["id"]]
                del self._issues_by_reviewer_status[record["reviewer_id"], record["status"]][record["id"]]
                del self._issues_by_sprint[record["sprint_id"]][record["id"]]
                del self._issues_by_sprint_status[record["sprint_id"], record["status"]][record["id"]]
                del self._issues_by_title[record["title"]][record["id"]]
