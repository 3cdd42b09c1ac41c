"""Code review. Compiled from blueprint.yaml; run `envscaler build code_review` after changing it there.

Takes pull requests of one large repository from the draft through reviews by the owners of what they touch,
checks and a merge queue into protected branches.
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
    "Nobody reviews their own pull request or is asked to.",
    "A reviewer has one standing review of a pull request.",
    "A queued pull request has the approvals that its branch wants.",
    "Nothing is queued while a reviewer wants changes.",
    "Everything a queued pull request touches was approved by its owners.",
    "All checks of a queued pull request have passed.",
    "A pull request has one check of a kind.",
    "Only hotfixes are queued on a frozen branch.",
    "What is queued has a place of its own in the queue of its branch, and nothing else has one.",
    "A stacked pull request waits behind the one it is stacked on, for the same branch.",
    "Nobody is asked for more reviews than they take at a time.",
    "A pull request touches at least one area, and each once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_pull",
    "mark_ready",
    "push_commits",
    "request_review",
    "review_pull",
    "dismiss_review",
    "report_check",
    "enqueue_pull",
    "merge_next",
    "close_pull",
    "set_freeze",
)
"""The methods that may change something; all others only read."""

CHECK_RESULT_MOVES = {("pending", "passed"), ("pending", "failed"), ("failed", "passed")}

LABELS: dict[str, tuple[str, ...]] = {
    "teams": ("name",),
    "developers": ("name",),
    "areas": ("name",),
    "branches": ("name",),
    "pull_requests": ("title",),
    "reviews": (),
    "checks": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("checks", "kind"),
    ("checks", "pull_id"),
    ("developers", "team_id"),
    ("pull_requests", "asked_ids"),
    ("pull_requests", "stacked_on_id"),
    ("pull_requests", "status"),
    ("pull_requests", "target_id"),
    ("pull_requests", "title"),
    ("reviews", "pull_id"),
    ("reviews", "reviewer_id"),
    ("reviews", "verdict"),
    ("teams", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Team(TypedDict):
    id: str
    name: str
    within_id: str | None


class Developer(TypedDict):
    id: str
    name: str
    team_id: str
    most_reviews: int


class Area(TypedDict):
    id: str
    name: str
    owner_id: str


class Branch(TypedDict):
    id: str
    name: str
    approvals: int
    checks: list[Literal["build", "tests", "security"]]
    drops_stale: bool
    frozen: bool


class PullRequest(TypedDict):
    id: str
    title: str
    author_id: str
    target_id: str
    area_ids: list[str]
    stacked_on_id: str | None
    hotfix: bool
    revision: int
    asked_ids: list[str]
    place: int | None
    opened_at: str
    merged_at: str | None
    status: Literal["draft", "open", "closed", "queued", "merged"]


class Review(TypedDict):
    id: str
    pull_id: str
    reviewer_id: str
    verdict: Literal["approved", "changes"]
    revision: int
    note: str | None
    standing: bool
    dismissed_by_id: str | None


class Check(TypedDict):
    id: str
    pull_id: str
    kind: Literal["build", "tests", "security"]
    result: Literal["pending", "passed", "failed"]


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


class CodeReview:
    """Takes pull requests of one large repository from the draft through reviews by the owners of what
    they touch, checks and a merge queue into protected branches.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.developers: dict[str, Developer] = _copied(config.get("developers", {}))
        self.areas: dict[str, Area] = _copied(config.get("areas", {}))
        self.branches: dict[str, Branch] = _copied(config.get("branches", {}))
        self.pull_requests: dict[str, PullRequest] = _copied(config.get("pull_requests", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.checks: dict[str, Check] = _copied(config.get("checks", {}))
        self.now: str = config.get("now", "2026-03-05T09:30")
        self.counters: dict[str, int] = {
            "team": len(self.teams),
            "developer": len(self.developers),
            "area": len(self.areas),
            "branch": len(self.branches),
            "pull_request": len(self.pull_requests),
            "review": len(self.reviews),
            "check": len(self.checks),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._teams_by_within: dict[Any, dict[str, Team]] = {}
        self._developers_by_team: dict[Any, dict[str, Developer]] = {}
        self._pull_requests_by_asked: dict[Any, dict[str, PullRequest]] = {}
        self._pull_requests_by_lower_title: dict[Any, dict[str, PullRequest]] = {}
        self._pull_requests_by_stacked_on: dict[Any, dict[str, PullRequest]] = {}
        self._pull_requests_by_stacked_on_status: dict[Any, dict[str, PullRequest]] = {}
        self._pull_requests_by_target_status: dict[Any, dict[str, PullRequest]] = {}
        self._pull_requests_by_title: dict[Any, dict[str, PullRequest]] = {}
        self._reviews_by_pull: dict[Any, dict[str, Review]] = {}
        self._reviews_by_pull_reviewer: dict[Any, dict[str, Review]] = {}
        self._reviews_by_pull_reviewer_verdict: dict[Any, dict[str, Review]] = {}
        self._reviews_by_pull_verdict: dict[Any, dict[str, Review]] = {}
        self._checks_by_pull: dict[Any, dict[str, Check]] = {}
        self._checks_by_pull_kind: dict[Any, dict[str, Check]] = {}
        for team in self.teams.values():
            self._link("teams", team)
        for developer in self.developers.values():
            self._link("developers", developer)
        for pull_request in self.pull_requests.values():
            self._link("pull_requests", pull_request)
        for review in self.reviews.values():
            self._link("reviews", review)
        for check in self.checks.values():
            self._link("checks", check)

    def merge_queue(self, branch_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What waits in the merge queue of a branch, first place first.

        Args:
            branch_id (str): Id of the branch, such as BRANCH-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pull_requests": records}} or {"success": False,
                "error": why not}
        """
        branch = self.branches.get(branch_id)
        if branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        found = [p for p in self._queue(branch)]
        found.sort(key=lambda p: (p["place"] if p["place"] is not None else 0, _age(p)))
        shown = [
            {
                "id": p["id"],
                "place": p["place"],
                "title": p["title"],
                "author": self.developers[p["author_id"]]["name"],
                "hotfix": p["hotfix"],
                "stacked_on": p["stacked_on_id"],
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "pull_requests": shown},
            _names((self.pull_requests, "title", [row["stacked_on"] for row in shown])),
        )

    def what_is_missing(self, pull_id: str) -> Result:
        """What a pull request still needs before it can be queued.

        Args:
            pull_id (str): Pull request to look at; an id such as PR-00001.

        Returns:
            dict: {"success": True, "data": {ready, status, approvals, approvals_needed, want_changes,
                checks_not_passed, areas_without_owner, branch_frozen, stacked_on}} or {"success": False, "error":
                why not}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        answer = {
            "ready": self._ready(pull),
            "status": pull["status"],
            "approvals": self._pull_request_approved(pull),
            "approvals_needed": self.branches[pull["target_id"]]["approvals"],
            "want_changes": [
                *[
                    self.developers[r["reviewer_id"]]["name"]
                    for r in sorted(self._reviews_by_pull_verdict.get((pull_id, "changes"), {}).values(), key=_age)
                    if r["standing"]
                ]
            ],
            "checks_not_passed": [
                *[
                    c["kind"]
                    for c in sorted(self._checks_by_pull.get(pull_id, {}).values(), key=_age)
                    if c["result"] != "passed"
                ]
            ],
            "areas_without_owner": [*[a["name"] for a in self._unsigned(pull)]],
            "branch_frozen": self.branches[pull["target_id"]]["frozen"],
            "stacked_on": pull["stacked_on_id"],
        }
        return _found(answer, _names((self.pull_requests, "title", [row["stacked_on"] for row in [answer]])))

    def possible_reviewers(
        self,
        area_id: str,
        pull_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Developers who own an area and have room for one more review, those with the fewest first.

        Args:
            area_id (str): Id of the area, such as AREA-00001.
            pull_id (str, optional): Pull request whose author and asked reviewers are left out; an id such as
                PR-00001. If left out, nobody is left out for that.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "developers": records}} or {"success": False, "error":
                why not}
        """
        area = self.areas.get(area_id)
        if area is None:
            return _refused(f"There is no area {area_id!r}.")
        pull = self.pull_requests.get(pull_id) if pull_id is not None else None
        if pull_id is not None and pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        found = [
            d
            for d in _distinct(
                [
                    d
                    for key in [
                        area["owner_id"],
                        *[record["id"] for record in _below(self._teams_by_within, self.teams[area["owner_id"]])],
                    ]
                    for d in self._developers_by_team.get(key, {}).values()
                ]
            )
            if (self._belongs(d, self.teams[area["owner_id"]]) and self._developer_asked_of(d) < d["most_reviews"])
            and (pull_id is None or d["id"] != pull["author_id"] and d["id"] not in pull["asked_ids"])
        ]
        found.sort(key=lambda d: (self._developer_asked_of(d), d["name"], _age(d)))
        return _found(
            {
                "total": len(found),
                "developers": [
                    {
                        "id": d["id"],
                        "name": d["name"],
                        "team": self.teams[d["team_id"]]["name"],
                        "asked_of": self._developer_asked_of(d),
                        "most_reviews": d["most_reviews"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def review_inbox(
        self,
        reviewer_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Pull requests that a developer was asked to review, oldest first.

        Args:
            reviewer_id (str): Developer who was asked to review; an id such as DEVELOPER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pull_requests": records}} or {"success": False,
                "error": why not}
        """
        reviewer = self.developers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no developer {reviewer_id!r}.")
        found = [p for p in self._pull_requests_by_asked.get(reviewer_id, {}).values()]
        found.sort(key=lambda p: (p["opened_at"], p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "pull_requests": [
                    {
                        "id": p["id"],
                        "title": p["title"],
                        "author": self.developers[p["author_id"]]["name"],
                        "target": self.branches[p["target_id"]]["name"],
                        "opened_at": p["opened_at"],
                        "revision": p["revision"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_teams(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            within_id (str, optional): Only teams within this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        if within_id is not None and within_id not in self.teams:
            return _refused(f"There is no team {within_id!r}.")
        found = [
            team
            for team in self.teams.values()
            if (name is None or name.casefold() in team["name"].casefold())
            and (within_id is None or team["within_id"] == within_id)
        ]
        shown = [{**team} for team in _page(found, offset)]
        return _found({"total": len(found), "teams": shown}, self._names_of_teams(shown))

    def list_developers(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the developers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only developers whose name contains this text.
            team_id (str, optional): Only developers of this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "developers": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            developer
            for developer in self.developers.values()
            if (name is None or name.casefold() in developer["name"].casefold())
            and (team_id is None or developer["team_id"] == team_id)
        ]
        shown = [self._show_developer(developer) for developer in _page(found, offset)]
        return _found({"total": len(found), "developers": shown}, self._names_of_developers(shown))

    def list_areas(
        self,
        name: Text | None = None,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the areas, oldest first, all of them or only some.

        Args:
            name (str, optional): Only areas whose name contains this text.
            owner_id (str, optional): Only areas whose owner is this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "areas": records}}
        """
        if owner_id is not None and owner_id not in self.teams:
            return _refused(f"There is no team {owner_id!r}.")
        found = [
            area
            for area in self.areas.values()
            if (name is None or name.casefold() in area["name"].casefold())
            and (owner_id is None or area["owner_id"] == owner_id)
        ]
        shown = [{**area} for area in _page(found, offset)]
        return _found({"total": len(found), "areas": shown}, self._names_of_areas(shown))

    def list_branches(
        self,
        name: Text | None = None,
        drops_stale: bool | None = None,
        frozen: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the branches, oldest first, all of them or only some.

        Args:
            name (str, optional): Only branches whose name contains this text.
            drops_stale (bool, optional): Only branches with this value of `drops_stale`.
            frozen (bool, optional): Only branches that are frozen (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "branches": records}}
        """
        found = [
            branch
            for branch in self.branches.values()
            if (name is None or name.casefold() in branch["name"].casefold())
            and (drops_stale is None or branch["drops_stale"] == drops_stale)
            and (frozen is None or branch["frozen"] == frozen)
        ]
        return _found(
            {"total": len(found), "branches": [self._show_branch(branch) for branch in _page(found, offset)]}
        )

    def list_pull_requests(
        self,
        title: Text | None = None,
        author_id: str | None = None,
        target_id: str | None = None,
        stacked_on_id: str | None = None,
        hotfix: bool | None = None,
        status: Literal["draft", "open", "closed", "queued", "merged"] | None = None,
        opened_at_from: Date | None = None,
        opened_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pull requests, oldest first, all of them or only some.

        Args:
            title (str, optional): Only pull requests whose title contains this text.
            author_id (str, optional): Only pull requests whose author is this developer.
            target_id (str, optional): Only pull requests whose target is this branch.
            stacked_on_id (str, optional): Only pull requests stacked on this pull request.
            hotfix (bool, optional): Only pull requests with this value of `hotfix`.
            status (str, optional): Only pull requests with this status.
            opened_at_from (str, optional): Only pull requests whose `opened_at` is on this day or later.
            opened_at_to (str, optional): Only pull requests whose `opened_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pull_requests": records}}
        """
        if author_id is not None and author_id not in self.developers:
            return _refused(f"There is no developer {author_id!r}.")
        if target_id is not None and target_id not in self.branches:
            return _refused(f"There is no branch {target_id!r}.")
        if stacked_on_id is not None and stacked_on_id not in self.pull_requests:
            return _refused(f"There is no pull request {stacked_on_id!r}.")
        found = [
            pull_request
            for pull_request in self.pull_requests.values()
            if (title is None or title.casefold() in pull_request["title"].casefold())
            and (author_id is None or pull_request["author_id"] == author_id)
            and (target_id is None or pull_request["target_id"] == target_id)
            and (stacked_on_id is None or pull_request["stacked_on_id"] == stacked_on_id)
            and (hotfix is None or pull_request["hotfix"] == hotfix)
            and (status is None or pull_request["status"] == status)
            and (opened_at_from is None or pull_request["opened_at"][:10] >= opened_at_from)
            and (opened_at_to is None or pull_request["opened_at"][:10] <= opened_at_to)
        ]
        shown = [self._show_pull_request(pull_request) for pull_request in _page(found, offset)]
        return _found({"total": len(found), "pull_requests": shown}, self._names_of_pull_requests(shown))

    def list_reviews(
        self,
        pull_id: str | None = None,
        reviewer_id: str | None = None,
        verdict: Literal["approved", "changes"] | None = None,
        standing: bool | None = None,
        dismissed_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            pull_id (str, optional): Only reviews whose pull is this pull request.
            reviewer_id (str, optional): Only reviews whose reviewer is this developer.
            verdict (str, optional): Only reviews with this verdict.
            standing (bool, optional): Only reviews with this value of `standing`.
            dismissed_by_id (str, optional): Only reviews dismissed by this developer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if pull_id is not None and pull_id not in self.pull_requests:
            return _refused(f"There is no pull request {pull_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.developers:
            return _refused(f"There is no developer {reviewer_id!r}.")
        if dismissed_by_id is not None and dismissed_by_id not in self.developers:
            return _refused(f"There is no developer {dismissed_by_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (pull_id is None or review["pull_id"] == pull_id)
            and (reviewer_id is None or review["reviewer_id"] == reviewer_id)
            and (verdict is None or review["verdict"] == verdict)
            and (standing is None or review["standing"] == standing)
            and (dismissed_by_id is None or review["dismissed_by_id"] == dismissed_by_id)
        ]
        shown = [{**review} for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def list_checks(
        self,
        pull_id: str | None = None,
        kind: Literal["build", "tests", "security"] | None = None,
        result: Literal["pending", "passed", "failed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the checks, oldest first, all of them or only some.

        Args:
            pull_id (str, optional): Only checks whose pull is this pull request.
            kind (str, optional): Only checks with this kind.
            result (str, optional): Only checks with this result.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "checks": records}}
        """
        if pull_id is not None and pull_id not in self.pull_requests:
            return _refused(f"There is no pull request {pull_id!r}.")
        found = [
            check
            for check in self.checks.values()
            if (pull_id is None or check["pull_id"] == pull_id)
            and (kind is None or check["kind"] == kind)
            and (result is None or check["result"] == result)
        ]
        shown = [{**check} for check in _page(found, offset)]
        return _found({"total": len(found), "checks": shown}, self._names_of_checks(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_pull(
        self,
        author_id: str,
        target_id: str,
        title: Text,
        touch_ids: Annotated[list[str], {"maxItems": 20}],
        stacked_on_id: str | None = None,
        hotfix: bool = False,
        draft: bool = False,
    ) -> Result:
        """Open a pull request against a branch; its checks start.

        Args:
            author_id (str): Developer who wrote the changes; an id such as DEVELOPER-00001.
            target_id (str): Branch into which they are to be merged; an id such as BRANCH-00001.
            title (str): Title of the new pull request, not in use yet.
            touch_ids (list): Areas that the changes touch, at least one and each once: ids of areas, such as
                AREA-00001.
            stacked_on_id (str, optional): Unfinished pull request to the same branch that must go first; an id
                such as PR-00001. If left out, it stands on its own.
            hotfix (bool): Whether it is a hotfix, which may enter a frozen branch. Default: false.
            draft (bool): Whether it begins as a draft instead of being open for review. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        author = self.developers.get(author_id)
        if author is None:
            return _refused(f"There is no developer {author_id!r}.")
        target = self.branches.get(target_id)
        if target is None:
            return _refused(f"There is no branch {target_id!r}.")
        touches = []
        for key in touch_ids:
            if key not in self.areas:
                return _refused(f"There is no area {key!r}.")
            touches.append(self.areas[key])
        stacked_on = self.pull_requests.get(stacked_on_id) if stacked_on_id is not None else None
        if stacked_on_id is not None and stacked_on is None:
            return _refused(f"There is no pull request {stacked_on_id!r}.")
        if self._pull_requests_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a pull request {title} already.")
        if not (len(touches) > 0 and _different([a["id"] for a in touches])):
            return _refused("Name what it touches, and each area once.")
        if not (stacked_on_id is None or self._alive(stacked_on)):
            return _refused(f"{stacked_on['title']} is {stacked_on['status']}, so there is nothing to stack on.")
        if stacked_on_id is not None and stacked_on["target_id"] != target_id:
            return _refused(
                f"{stacked_on['title']} goes to {self.branches[stacked_on['target_id']]['name']}, not to "
                f"{target['name']}."
            )
        self._journal = []
        added_checks: list[Any] = []
        changed_pull_requests: list[Any] = []
        pull: PullRequest = {
            "id": self._new_id("pull_request", "PR", self.pull_requests),
            "title": title,
            "author_id": author_id,
            "target_id": target_id,
            "area_ids": [record["id"] for record in _those(self.areas, [record["id"] for record in touches])],
            "stacked_on_id": stacked_on_id,
            "hotfix": hotfix,
            "revision": 1,
            "asked_ids": [record["id"] for record in []],
            "place": None,
            "opened_at": self.now,
            "merged_at": None,
            "status": "draft",
        }
        self._add("pull_requests", pull)
        for k in list(target["checks"]):
            check = {
                "id": self._new_id("check", "CHECK", self.checks),
                "pull_id": pull["id"],
                "kind": k,
                "result": "pending",
            }
            self._add("checks", check)
            added_checks.append(check)
        if not draft:
            if pull["status"] not in ("draft", "open", "queued"):
                return self._take_back(f"Pull request {pull['title']} cannot go from {pull['status']} to open.")
            changed_pull_requests.append(pull)
            self._put("pull_requests", pull, "status", "open")
        if len(self._pull_requests_by_title.get(pull["title"], {})) > 1:
            return self._take_back(f"There is already a pull request with the title {pull['title']!r}.")
        if self._breaks_rule_1_p(pull):
            return self._take_back(RULES[0])
        for one_pull_request in _distinct([pull, *changed_pull_requests]):
            if self._breaks_rule_3(one_pull_request):
                return self._take_back(RULES[2])
        for one_pull_request in _distinct([pull, *changed_pull_requests]):
            if self._breaks_rule_4(one_pull_request):
                return self._take_back(RULES[3])
        for one_pull_request in _distinct([pull, *changed_pull_requests]):
            if self._breaks_rule_5(one_pull_request):
                return self._take_back(RULES[4])
        for one_check in _distinct(
            [
                *added_checks,
                *[user for one in changed_pull_requests for user in self._checks_by_pull.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        for one_check in _distinct(added_checks):
            if self._breaks_rule_7(one_check):
                return self._take_back(RULES[6])
        for one_pull_request in _distinct([pull, *changed_pull_requests]):
            if self._breaks_rule_8(one_pull_request):
                return self._take_back(RULES[7])
        for one_pull_request in _distinct([pull, *changed_pull_requests]):
            if self._breaks_rule_9_p(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct([pull, *changed_pull_requests]):
            if self._breaks_rule_9_p_again(one_pull_request):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_p(pull):
            return self._take_back(RULES[9])
        for one_pull_request in _distinct(
            [
                pull,
                *changed_pull_requests,
                *[
                    user
                    for one in changed_pull_requests
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        for one_developer in _distinct([self.developers[key] for key in pull["asked_ids"]]):
            if self._breaks_rule_11(one_developer):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(pull):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: open the pull request {title} of {author['name']} against {target['name']} (new: pull "
                f"request {pull['id']})."
            ),
            "data": {"pull_request_id": pull["id"], **self._changes()},
        }

    def mark_ready(self, pull_id: str) -> Result:
        """Mark a draft as ready for review.

        Args:
            pull_id (str): Draft that is ready; an id such as PR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        if pull["status"] != "draft":
            return _refused(f"{pull['title']} is {pull['status']}, not a draft.")
        self._journal = []
        self._put("pull_requests", pull, "status", "open")
        if self._breaks_rule_3(pull):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(pull):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(pull):
            return self._take_back(RULES[4])
        for one_check in _distinct(self._checks_by_pull.get(pull["id"], {}).values()):
            if self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(pull):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_p(pull):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_p_again(pull):
            return self._take_back(RULES[8])
        for one_pull_request in _distinct(
            [pull, *self._pull_requests_by_stacked_on_status.get((pull["id"], "queued"), {}).values()]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: mark {pull['title']} as ready for review.",
            "data": self._changes(),
        }

    def push_commits(self, pull_id: str, also_touches_id: str | None = None) -> Result:
        """Push new commits; checks start again, approvals go stale where the branch says so, and what was queued
        leaves the queue with everything stacked on it.

        Args:
            pull_id (str): Draft, open or queued pull request that gets the commits; an id such as PR-00001.
            also_touches_id (str, optional): Area that it now touches too; an id such as AREA-00001. If left out,
                the areas stay as they are.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        also_touches = self.areas.get(also_touches_id) if also_touches_id is not None else None
        if also_touches_id is not None and also_touches is None:
            return _refused(f"There is no area {also_touches_id!r}.")
        if not self._alive(pull):
            return _refused(f"{pull['title']} is {pull['status']}.")
        if pull["revision"] >= 500:
            return _refused(f"{pull['title']} has 500 revisions, so open a new pull request.")
        if also_touches_id is not None and also_touches_id in pull["area_ids"]:
            return _refused(f"{pull['title']} touches {also_touches['name']} anyway.")
        self._journal = []
        changed_pull_requests: list[Any] = []
        changed_pull_requests_2: list[Any] = []
        deleted_checks: list[Any] = []
        added_checks: list[Any] = []
        changed_pull_requests_3: list[Any] = []
        thrown_out = [q for q in _below(self._pull_requests_by_stacked_on, pull) if q["status"] == "queued"]
        revision = pull["revision"] + 1
        if not 1 <= revision <= 500:
            return self._take_back(f"The revision of {pull['title']} must be between 1 and 500.")
        self._put("pull_requests", pull, "revision", revision)
        if pull["status"] == "queued":
            changed_pull_requests.append(pull)
            self._put("pull_requests", pull, "place", None)
            if pull["status"] not in ("draft", "open", "queued"):
                return self._take_back(f"Pull request {pull['title']} cannot go from {pull['status']} to open.")
            changed_pull_requests_2.append(pull)
            self._put("pull_requests", pull, "status", "open")
        for q in [q for q in thrown_out if q is not pull]:
            changed_pull_requests.append(q)
            self._put("pull_requests", q, "place", None)
            if q["status"] not in ("draft", "open", "queued"):
                return self._take_back(f"Pull request {q['title']} cannot go from {q['status']} to open.")
            changed_pull_requests_2.append(q)
            self._put("pull_requests", q, "status", "open")
        for c in sorted(self._checks_by_pull.get(pull_id, {}).values(), key=_age):
            if c["id"] in self.checks:
                self._remove("checks", c)
            deleted_checks.append(c)
        for k in list(self.branches[pull["target_id"]]["checks"]):
            check = {
                "id": self._new_id("check", "CHECK", self.checks),
                "pull_id": pull_id,
                "kind": k,
                "result": "pending",
            }
            self._add("checks", check)
            added_checks.append(check)
        if also_touches_id is not None:
            changed_pull_requests_3.append(pull)
            self._put(
                "pull_requests",
                pull,
                "area_ids",
                [record["id"] for record in _those(self.areas, [*pull["area_ids"], also_touches_id])],
            )
        for one_pull_request in _distinct([pull, *changed_pull_requests_2]):
            if self._breaks_rule_3(one_pull_request):
                return self._take_back(RULES[2])
        for one_pull_request in _distinct(changed_pull_requests_2):
            if self._breaks_rule_4(one_pull_request):
                return self._take_back(RULES[3])
        for one_pull_request in _distinct([pull, *changed_pull_requests_2, *changed_pull_requests_3]):
            if self._breaks_rule_5(one_pull_request):
                return self._take_back(RULES[4])
        for one_check in _distinct(
            [
                *[
                    user
                    for one in changed_pull_requests_2
                    for user in self._checks_by_pull.get(one["id"], {}).values()
                ],
                *added_checks,
            ]
        ):
            if one_check["id"] in self.checks and self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        for one_check in _distinct(added_checks):
            if one_check["id"] in self.checks and self._breaks_rule_7(one_check):
                return self._take_back(RULES[6])
        for one_pull_request in _distinct(changed_pull_requests_2):
            if self._breaks_rule_8(one_pull_request):
                return self._take_back(RULES[7])
        for one_pull_request in _distinct([*changed_pull_requests, *changed_pull_requests_2]):
            if self._breaks_rule_9_p(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct([*changed_pull_requests, *changed_pull_requests_2]):
            if self._breaks_rule_9_p_again(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct(
            [
                *[
                    user
                    for one in changed_pull_requests
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
                *changed_pull_requests,
                *changed_pull_requests_2,
                *[
                    user
                    for one in changed_pull_requests_2
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        for one_pull_request in _distinct(changed_pull_requests_3):
            if self._breaks_rule_12(one_pull_request):
                return self._take_back(RULES[11])
        done = f"push new commits to {pull['title']}"
        if also_touches is not None:
            done += f", touching {also_touches['name']} as well"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def request_review(self, pull_id: str, reviewer_id: str, instead_of_id: str | None = None) -> Result:
        """Ask a developer to review an open pull request, perhaps in the place of another who was asked.

        Args:
            pull_id (str): Open pull request to review; an id such as PR-00001.
            reviewer_id (str): Developer who is asked, not its author; an id such as DEVELOPER-00001.
            instead_of_id (str, optional): Developer asked before who need not review any more; an id such as
                DEVELOPER-00001. If left out, all who were asked stay.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        reviewer = self.developers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no developer {reviewer_id!r}.")
        instead_of = self.developers.get(instead_of_id) if instead_of_id is not None else None
        if instead_of_id is not None and instead_of is None:
            return _refused(f"There is no developer {instead_of_id!r}.")
        if pull["status"] != "open":
            return _refused(f"{pull['title']} is {pull['status']}; reviews are asked for while it is open.")
        if reviewer_id == pull["author_id"]:
            return _refused(f"{reviewer['name']} wrote {pull['title']}.")
        if reviewer_id in pull["asked_ids"]:
            return _refused(f"{reviewer['name']} has been asked to review {pull['title']} already.")
        if instead_of_id is not None and instead_of_id not in pull["asked_ids"]:
            return _refused(f"{instead_of['name']} was not asked to review {pull['title']}.")
        if self._developer_asked_of(reviewer) >= reviewer["most_reviews"]:
            return _refused(
                f"{reviewer['name']} has {self._developer_asked_of(reviewer)} reviews to do and takes no more."
            )
        self._journal = []
        former_asked_ids = pull["asked_ids"]
        self._put(
            "pull_requests",
            pull,
            "asked_ids",
            [
                record["id"]
                for record in [
                    d
                    for d in _those(self.developers, [reviewer_id, *pull["asked_ids"]])
                    if (d is reviewer or d["id"] in pull["asked_ids"] and d is not instead_of)
                ]
            ],
        )
        if self._breaks_rule_1_p(pull):
            return self._take_back(RULES[0])
        for one_developer in _distinct(
            [
                *[self.developers[key] for key in pull["asked_ids"]],
                *[self.developers.get(key) for key in former_asked_ids],
            ]
        ):
            if self._breaks_rule_11(one_developer):
                return self._take_back(RULES[10])
        done = f"ask {reviewer['name']} to review {pull['title']}"
        if instead_of is not None:
            done += f" instead of {instead_of['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def review_pull(
        self,
        pull_id: str,
        reviewer_id: str,
        verdict: Literal["approved", "changes"],
        note: Text | None = None,
    ) -> Result:
        """Enter a review of the present revision; it replaces what the same reviewer said before.

        Args:
            pull_id (str): Open pull request that was reviewed; an id such as PR-00001.
            reviewer_id (str): Developer who reviewed it, not its author; an id such as DEVELOPER-00001.
            verdict (str): Outcome of the review, approval or a request for changes: approved or changes.
            note (str, optional): What the reviewer says, needed where changes are wanted. If left out, no note is
                kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        reviewer = self.developers.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no developer {reviewer_id!r}.")
        if pull["status"] != "open":
            return _refused(f"{pull['title']} is {pull['status']}, so it cannot be reviewed.")
        if reviewer_id == pull["author_id"]:
            return _refused(f"{reviewer['name']} cannot review what they wrote.")
        if verdict != "approved" and note is None:
            return _refused("Say in a note what should change.")
        if any(
            r["revision"] == pull["revision"]
            for r in self._reviews_by_pull_reviewer_verdict.get((pull_id, reviewer_id, verdict), {}).values()
            if r["standing"]
        ):
            return _refused(f"{reviewer['name']} has said so about this revision of {pull['title']} already.")
        self._journal = []
        changed_reviews: list[Any] = []
        for r in [
            r
            for r in sorted(self._reviews_by_pull_reviewer.get((pull_id, reviewer_id), {}).values(), key=_age)
            if r["standing"]
        ]:
            changed_reviews.append(r)
            self._put("reviews", r, "standing", False)
        review: Review = {
            "id": self._new_id("review", "REVIEW", self.reviews),
            "pull_id": pull_id,
            "reviewer_id": reviewer_id,
            "verdict": verdict,
            "revision": pull["revision"],
            "note": note,
            "standing": True,
            "dismissed_by_id": None,
        }
        self._add("reviews", review)
        former_asked_ids = pull["asked_ids"]
        self._put(
            "pull_requests",
            pull,
            "asked_ids",
            [
                record["id"]
                for record in [d for d in [self.developers[key] for key in pull["asked_ids"]] if d is not reviewer]
            ],
        )
        if self._breaks_rule_1_r(review):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_p(pull):
            return self._take_back(RULES[0])
        for one_review in _distinct([review, *changed_reviews]):
            if self._breaks_rule_2(one_review):
                return self._take_back(RULES[1])
        for one_pull_request in _distinct(
            [self.pull_requests[review["pull_id"]], *[self.pull_requests[one["pull_id"]] for one in changed_reviews]]
        ):
            if self._breaks_rule_3(one_pull_request):
                return self._take_back(RULES[2])
        for one_pull_request in _distinct(
            [self.pull_requests[review["pull_id"]], *[self.pull_requests[one["pull_id"]] for one in changed_reviews]]
        ):
            if self._breaks_rule_4(one_pull_request):
                return self._take_back(RULES[3])
        for one_pull_request in _distinct(
            [self.pull_requests[review["pull_id"]], *[self.pull_requests[one["pull_id"]] for one in changed_reviews]]
        ):
            if self._breaks_rule_5(one_pull_request):
                return self._take_back(RULES[4])
        for one_developer in _distinct(
            [
                *[self.developers[key] for key in pull["asked_ids"]],
                *[self.developers.get(key) for key in former_asked_ids],
            ]
        ):
            if self._breaks_rule_11(one_developer):
                return self._take_back(RULES[10])
        done = f"review {pull['title']} as {reviewer['name']} with {verdict}"
        if note is not None:
            done += f" and the note {note}"
        return {
            "success": True,
            "message": f"Done: {done} (new: review {review['id']}).",
            "data": {"review_id": review["id"], **self._changes()},
        }

    def dismiss_review(self, review_id: str, by_id: str) -> Result:
        """Dismiss a request for changes; only somebody of a team that owns a touched area may, and not the author.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            by_id (str): Developer who dismisses it, from a team that owns a touched area; an id such as
                DEVELOPER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        by = self.developers.get(by_id)
        if by is None:
            return _refused(f"There is no developer {by_id!r}.")
        if not review["standing"] or review["verdict"] != "changes":
            return _refused(
                f"The review by {self.developers[review['reviewer_id']]['name']} is no standing request for changes."
            )
        if self.pull_requests[review["pull_id"]]["status"] != "open":
            return _refused(
                f"{self.pull_requests[review['pull_id']]['title']} is "
                f"{self.pull_requests[review['pull_id']]['status']}."
            )
        if by in [
            self.developers[self.pull_requests[review["pull_id"]]["author_id"]],
            self.developers[review["reviewer_id"]],
        ]:
            return _refused(
                f"{by['name']} cannot dismiss it, so ask somebody who neither wrote nor reviewed "
                f"{self.pull_requests[review['pull_id']]['title']}."
            )
        if not any(
            self._belongs(by, self.teams[a["owner_id"]])
            for a in [self.areas[key] for key in self.pull_requests[review["pull_id"]]["area_ids"]]
        ):
            return _refused(
                f"{by['name']} owns nothing that {self.pull_requests[review['pull_id']]['title']} touches."
            )
        self._journal = []
        self._put("reviews", review, "standing", False)
        self._put("reviews", review, "dismissed_by_id", by_id)
        if self._breaks_rule_2(review):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.pull_requests[review["pull_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.pull_requests[review["pull_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.pull_requests[review["pull_id"]]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: dismiss the request for changes by {self.developers[review['reviewer_id']]['name']} as "
                f"{by['name']}."
            ),
            "data": self._changes(),
        }

    def report_check(self, check_id: str, passed: bool) -> Result:
        """Report the result of a check that is running or failed before.

        Args:
            check_id (str): Id of the check, such as CHECK-00001.
            passed (bool): Whether the check has passed, as opposed to failed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        check = self.checks.get(check_id)
        if check is None:
            return _refused(f"There is no check {check_id!r}.")
        if not self._alive(self.pull_requests[check["pull_id"]]):
            return _refused(
                f"{self.pull_requests[check['pull_id']]['title']} is "
                f"{self.pull_requests[check['pull_id']]['status']}."
            )
        if check["result"] == "passed":
            return _refused(
                f"The {check['kind']} check of {self.pull_requests[check['pull_id']]['title']} has passed already."
            )
        if not (check["result"] != "failed" or passed):
            return _refused(
                f"The {check['kind']} check of {self.pull_requests[check['pull_id']]['title']} has failed already."
            )
        self._journal = []
        result = "passed" if passed else "failed"
        if check["result"] != result and (check["result"], result) not in CHECK_RESULT_MOVES:
            return self._take_back(f"Check {check['id']} cannot go from {check['result']} to {result}.")
        self._put("checks", check, "result", result)
        if self._breaks_rule_6(check):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: report the {check['kind']} check of {self.pull_requests[check['pull_id']]['title']}.",
            "data": self._changes(),
        }

    def enqueue_pull(self, pull_id: str) -> Result:
        """Put an open pull request at the end of the merge queue of its branch.

        Args:
            pull_id (str): Open pull request that has all it needs; an id such as PR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        if pull["status"] != "open":
            return _refused(f"{pull['title']} is {pull['status']}.")
        if not pull["hotfix"] and self.branches[pull["target_id"]]["frozen"]:
            return _refused(f"{self.branches[pull['target_id']]['name']} is frozen and {pull['title']} is no hotfix.")
        if self._pull_request_objections(pull) != 0:
            return _refused(
                f"Changes are wanted in {pull['title']}, so they must be made and reviewed, or the review dismissed."
            )
        if self._pull_request_approved(pull) < self.branches[pull["target_id"]]["approvals"]:
            return _refused(
                f"{pull['title']} has {self._pull_request_approved(pull)} of "
                f"{self.branches[pull['target_id']]['approvals']} approvals for revision {pull['revision']}."
            )
        hole = next((a for a in self._unsigned(pull)), None)
        if hole is not None:
            return _refused(
                f"Nobody of {self.teams[hole['owner_id']]['name']} has approved what {pull['title']} changes in "
                f"{hole['name']}."
            )
        red = next(
            (c for c in sorted(self._checks_by_pull.get(pull_id, {}).values(), key=_age) if c["result"] != "passed"),
            None,
        )
        if red is not None:
            return _refused(f"The {red['kind']} check of {pull['title']} is {red['result']}.")
        base = self.pull_requests.get(pull["stacked_on_id"])
        if base is not None and base["status"] not in ("queued", "merged"):
            return _refused(f"{pull['title']} is stacked on {base['title']}, which is {base['status']}.")
        self._journal = []
        place = (
            (
                max(
                    (
                        p["place"]
                        if p["place"] is not None
                        else 0
                        for p in self._queue(self.branches[pull["target_id"]])
                    ),
                    default=None,
                )
                if max(
                    (
                        p["place"]
                        if p["place"] is not None
                        else 0
                        for p in self._queue(self.branches[pull["target_id"]])
                    ),
                    default=None,
                ) is not None
                else 0
            )
            + 1
        )
        if not 1 <= place <= 100000:
            return self._take_back(f"The place of {pull['title']} must be between 1 and 100000.")
        self._put("pull_requests", pull, "place", place)
        former_asked_ids = pull["asked_ids"]
        self._put("pull_requests", pull, "asked_ids", [])
        self._put("pull_requests", pull, "status", "queued")
        if self._breaks_rule_1_p(pull):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(pull):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(pull):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(pull):
            return self._take_back(RULES[4])
        for one_check in _distinct(self._checks_by_pull.get(pull["id"], {}).values()):
            if self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(pull):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_p(pull):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_p_again(pull):
            return self._take_back(RULES[8])
        for one_pull_request in _distinct(
            [pull, *self._pull_requests_by_stacked_on_status.get((pull["id"], "queued"), {}).values()]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        for one_developer in _distinct(
            [
                *[self.developers[key] for key in pull["asked_ids"]],
                *[self.developers.get(key) for key in former_asked_ids],
            ]
        ):
            if self._breaks_rule_11(one_developer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: put {pull['title']} into the merge queue.",
            "data": self._changes(),
        }

    def merge_next(self, branch_id: str, build_passed: bool = True) -> Result:
        """Merge what stands first in the merge queue of a branch; if its build on top of the branch failed, throw it
        out with everything stacked on it, and its checks start again.

        Args:
            branch_id (str): Id of the branch, such as BRANCH-00001.
            build_passed (bool): Whether its build on top of the branch passed. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        branch = self.branches.get(branch_id)
        if branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        pull = min(
            self._queue(branch),
            key=lambda p: (p["place"] if p["place"] is not None else 0, _age(p)),
            default=None,
        )
        if pull is None:
            return _refused(f"The merge queue of {branch['name']} is empty.")
        self._journal = []
        changed_pull_requests: list[Any] = []
        changed_pull_requests_2: list[Any] = []
        deleted_checks: list[Any] = []
        added_checks: list[Any] = []
        self._put("pull_requests", pull, "place", None)
        if build_passed:
            self._put("pull_requests", pull, "merged_at", self.now)
            if pull["status"] not in ("queued", "merged"):
                return self._take_back(f"Pull request {pull['title']} cannot go from {pull['status']} to merged.")
            changed_pull_requests.append(pull)
            self._put("pull_requests", pull, "status", "merged")
        else:
            if pull["status"] not in ("draft", "open", "queued"):
                return self._take_back(f"Pull request {pull['title']} cannot go from {pull['status']} to open.")
            changed_pull_requests.append(pull)
            self._put("pull_requests", pull, "status", "open")
            for q in [q for q in _below(self._pull_requests_by_stacked_on, pull) if q["status"] == "queued"]:
                changed_pull_requests_2.append(q)
                self._put("pull_requests", q, "place", None)
                if q["status"] not in ("draft", "open", "queued"):
                    return self._take_back(f"Pull request {q['title']} cannot go from {q['status']} to open.")
                changed_pull_requests.append(q)
                self._put("pull_requests", q, "status", "open")
            for c in sorted(self._checks_by_pull.get(pull["id"], {}).values(), key=_age):
                if c["id"] in self.checks:
                    self._remove("checks", c)
                deleted_checks.append(c)
            for k in list(branch["checks"]):
                check = {
                    "id": self._new_id("check", "CHECK", self.checks),
                    "pull_id": pull["id"],
                    "kind": k,
                    "result": "pending",
                }
                self._add("checks", check)
                added_checks.append(check)
        for one_pull_request in _distinct(changed_pull_requests):
            if self._breaks_rule_3(one_pull_request):
                return self._take_back(RULES[2])
        for one_pull_request in _distinct(changed_pull_requests):
            if self._breaks_rule_4(one_pull_request):
                return self._take_back(RULES[3])
        for one_pull_request in _distinct(changed_pull_requests):
            if self._breaks_rule_5(one_pull_request):
                return self._take_back(RULES[4])
        for one_check in _distinct(
            [
                *[user for one in changed_pull_requests for user in self._checks_by_pull.get(one["id"], {}).values()],
                *added_checks,
            ]
        ):
            if one_check["id"] in self.checks and self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        for one_check in _distinct(added_checks):
            if one_check["id"] in self.checks and self._breaks_rule_7(one_check):
                return self._take_back(RULES[6])
        for one_pull_request in _distinct(changed_pull_requests):
            if self._breaks_rule_8(one_pull_request):
                return self._take_back(RULES[7])
        for one_pull_request in _distinct([pull, *changed_pull_requests, *changed_pull_requests_2]):
            if self._breaks_rule_9_p(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct([pull, *changed_pull_requests, *changed_pull_requests_2]):
            if self._breaks_rule_9_p_again(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct(
            [
                pull,
                *self._pull_requests_by_stacked_on_status.get((pull["id"], "queued"), {}).values(),
                *changed_pull_requests,
                *[
                    user
                    for one in changed_pull_requests
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
                *[
                    user
                    for one in changed_pull_requests_2
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
                *changed_pull_requests_2,
            ]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: settle the first of the queue of {branch['name']}, build passed "
                f"{'yes' if build_passed else 'no'}."
            ),
            "data": self._changes(),
        }

    def close_pull(self, pull_id: str) -> Result:
        """Close a draft or open pull request without merging it.

        Args:
            pull_id (str): Draft or open pull request to close; an id such as PR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pull = self.pull_requests.get(pull_id)
        if pull is None:
            return _refused(f"There is no pull request {pull_id!r}.")
        if pull["status"] not in ("draft", "open"):
            return _refused(f"{pull['title']} is {pull['status']}.")
        top = next(
            (
                q
                for q in sorted(self._pull_requests_by_stacked_on.get(pull_id, {}).values(), key=_age)
                if self._alive(q)
            ),
            None,
        )
        if top is not None:
            return _refused(f"{top['title']} is stacked on {pull['title']}, so close that first.")
        self._journal = []
        former_asked_ids = pull["asked_ids"]
        self._put("pull_requests", pull, "asked_ids", [])
        self._put("pull_requests", pull, "status", "closed")
        if self._breaks_rule_1_p(pull):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(pull):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(pull):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(pull):
            return self._take_back(RULES[4])
        for one_check in _distinct(self._checks_by_pull.get(pull["id"], {}).values()):
            if self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(pull):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_p(pull):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_p_again(pull):
            return self._take_back(RULES[8])
        for one_pull_request in _distinct(
            [pull, *self._pull_requests_by_stacked_on_status.get((pull["id"], "queued"), {}).values()]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        for one_developer in _distinct(
            [
                *[self.developers[key] for key in pull["asked_ids"]],
                *[self.developers.get(key) for key in former_asked_ids],
            ]
        ):
            if self._breaks_rule_11(one_developer):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: close {pull['title']}.", "data": self._changes()}

    def set_freeze(self, branch_id: str, frozen: bool) -> Result:
        """Freeze a branch, which throws everything but hotfixes out of its queue, or lift the freeze.

        Args:
            branch_id (str): Id of the branch, such as BRANCH-00001.
            frozen (bool): Whether the branch is frozen, as opposed to free again.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        branch = self.branches.get(branch_id)
        if branch is None:
            return _refused(f"There is no branch {branch_id!r}.")
        if frozen == branch["frozen"]:
            return _refused(f"The freeze of {branch['name']} is as wanted already.")
        self._journal = []
        changed_pull_requests: list[Any] = []
        changed_pull_requests_2: list[Any] = []
        self._put("branches", branch, "frozen", frozen)
        if frozen:
            out = [
                p
                for p in self._queue(branch)
                if (
                    not p["hotfix"]
                    or any(
                        b["status"] == "queued"
                        and not b["hotfix"]
                        for b in _above(self.pull_requests, p, "stacked_on_id")
                    )
                )
            ]
            for p in list(out):
                changed_pull_requests.append(p)
                self._put("pull_requests", p, "place", None)
                if p["status"] not in ("draft", "open", "queued"):
                    return self._take_back(f"Pull request {p['title']} cannot go from {p['status']} to open.")
                changed_pull_requests_2.append(p)
                self._put("pull_requests", p, "status", "open")
        for one_pull_request in _distinct(changed_pull_requests_2):
            if self._breaks_rule_3(one_pull_request):
                return self._take_back(RULES[2])
        for one_pull_request in _distinct(changed_pull_requests_2):
            if self._breaks_rule_4(one_pull_request):
                return self._take_back(RULES[3])
        for one_pull_request in _distinct(changed_pull_requests_2):
            if self._breaks_rule_5(one_pull_request):
                return self._take_back(RULES[4])
        for one_check in _distinct(
            [user for one in changed_pull_requests_2 for user in self._checks_by_pull.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_check):
                return self._take_back(RULES[5])
        for one_pull_request in _distinct(
            [
                *self._pull_requests_by_target_status.get((branch["id"], "queued"), {}).values(),
                *changed_pull_requests_2,
            ]
        ):
            if self._breaks_rule_8(one_pull_request):
                return self._take_back(RULES[7])
        for one_pull_request in _distinct([*changed_pull_requests, *changed_pull_requests_2]):
            if self._breaks_rule_9_p(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct([*changed_pull_requests, *changed_pull_requests_2]):
            if self._breaks_rule_9_p_again(one_pull_request):
                return self._take_back(RULES[8])
        for one_pull_request in _distinct(
            [
                *[
                    user
                    for one in changed_pull_requests
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
                *changed_pull_requests,
                *changed_pull_requests_2,
                *[
                    user
                    for one in changed_pull_requests_2
                    for user in self._pull_requests_by_stacked_on_status.get((one["id"], "queued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10_p_again(one_pull_request):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: change the freeze of {branch['name']}.", "data": self._changes()}

    def _show_developer(self, developer: Developer) -> dict[str, Any]:
        """The developer as an answer shows it."""
        return {**developer, "asked_of": self._developer_asked_of(developer)}

    def _show_branch(self, branch: Branch) -> dict[str, Any]:
        """The branch as an answer shows it."""
        return {**branch, "checks": [*branch["checks"]], "waiting": self._branch_waiting(branch)}

    def _show_pull_request(self, pull_request: PullRequest) -> dict[str, Any]:
        """The pull request as an answer shows it."""
        return {
            **pull_request,
            "area_ids": [*pull_request["area_ids"]],
            "asked_ids": [*pull_request["asked_ids"]],
            "approved": self._pull_request_approved(pull_request),
            "objections": self._pull_request_objections(pull_request),
            "checks_open": self._pull_request_checks_open(pull_request),
        }

    def _names_of_teams(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that teams point to."""
        return _names((self.teams, "name", [row["within_id"] for row in shown]))

    def _names_of_developers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that developers point to."""
        return _names((self.teams, "name", [row["team_id"] for row in shown]))

    def _names_of_areas(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that areas point to."""
        return _names((self.teams, "name", [row["owner_id"] for row in shown]))

    def _names_of_pull_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pull requests point to."""
        return _names(
            (self.developers, "name", [row["author_id"] for row in shown]),
            (self.branches, "name", [row["target_id"] for row in shown]),
            (self.areas, "name", [each for row in shown for each in row["area_ids"]]),
            (self.pull_requests, "title", [row["stacked_on_id"] for row in shown]),
            (self.developers, "name", [each for row in shown for each in row["asked_ids"]]),
        )

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names(
            (self.pull_requests, "title", [row["pull_id"] for row in shown]),
            (self.developers, "name", [row["reviewer_id"] for row in shown]),
            (self.developers, "name", [row["dismissed_by_id"] for row in shown]),
        )

    def _names_of_checks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that checks point to."""
        return _names((self.pull_requests, "title", [row["pull_id"] for row in shown]))

    def _developer_asked_of(self, developer: Developer) -> int:
        """The asked of of a developer."""
        return len(self._pull_requests_by_asked.get(developer["id"], {}))

    def _branch_waiting(self, branch: Branch) -> int:
        """The waiting of a branch."""
        return len(self._pull_requests_by_target_status.get((branch["id"], "queued"), {}))

    def _pull_request_approved(self, pull_request: PullRequest) -> int:
        """The approved of a pull request."""
        return sum(1 for r in self._reviews_by_pull.get(pull_request["id"], {}).values() if self._counts(r))

    def _pull_request_objections(self, pull_request: PullRequest) -> int:
        """The objections of a pull request."""
        return sum(
            1
            for r in self._reviews_by_pull_verdict.get((pull_request["id"], "changes"), {}).values()
            if r["standing"]
        )

    def _pull_request_checks_open(self, pull_request: PullRequest) -> int:
        """The checks open of a pull request."""
        return sum(1 for c in self._checks_by_pull.get(pull_request["id"], {}).values() if c["result"] != "passed")

    def _counts(self, r: Review) -> bool:
        return (
            r["standing"]
            and r["verdict"] == "approved"
            and (
                r["revision"] == self.pull_requests[r["pull_id"]]["revision"]
                or not self.branches[self.pull_requests[r["pull_id"]]["target_id"]]["drops_stale"]
            )
        )

    def _alive(self, p: PullRequest) -> bool:
        return p["status"] in ("draft", "open", "queued")

    def _belongs(self, d: Developer, t: Team) -> bool:
        return d["team_id"] == t["id"] or t in _above(self.teams, self.teams[d["team_id"]], "within_id")

    def _signed(self, p: PullRequest, a: Area) -> bool:
        return any(
            self._counts(r)
            and self._belongs(self.developers[r["reviewer_id"]], self.teams[a["owner_id"]])
            for r in self._reviews_by_pull.get(p["id"], {}).values()
        )

    def _unsigned(self, p: PullRequest) -> list[Area]:
        return [a for a in [self.areas[key] for key in p["area_ids"]] if not self._signed(p, a)]

    def _queue(self, b: Branch) -> list[PullRequest]:
        return sorted(self._pull_requests_by_target_status.get((b["id"], "queued"), {}).values(), key=_age)

    def _but_for_checks(self, p: PullRequest) -> bool:
        return (
            p["status"] == "open"
            and self._pull_request_approved(p) >= self.branches[p["target_id"]]["approvals"]
            and self._pull_request_objections(p) == 0
            and len(self._unsigned(p)) == 0
            and (p["hotfix"] or not self.branches[p["target_id"]]["frozen"])
            and (
                p["stacked_on_id"] is None
                or self.pull_requests[p["stacked_on_id"]]["status"] in ("queued", "merged")
            )
        )

    def _ready(self, p: PullRequest) -> bool:
        return self._but_for_checks(p) and self._pull_request_checks_open(p) == 0

    def _breaks_rule_1_r(self, r: Review) -> bool:
        """Whether this is broken: nobody reviews their own pull request or is asked to."""
        return r["reviewer_id"] == self.pull_requests[r["pull_id"]]["author_id"]

    def _breaks_rule_1_p(self, p: PullRequest) -> bool:
        """Whether this is broken: nobody reviews their own pull request or is asked to."""
        return p["author_id"] in p["asked_ids"]

    def _breaks_rule_2(self, r: Review) -> bool:
        """Whether this is broken: a reviewer has one standing review of a pull request."""
        return (
            r["standing"]
            and any(
                other_r is not r
                for other_r in self._reviews_by_pull_reviewer.get((r["pull_id"], r["reviewer_id"]), {}).values()
                if other_r["standing"]
            )
        )

    def _breaks_rule_3(self, p: PullRequest) -> bool:
        """Whether this is broken: a queued pull request has the approvals that its branch wants."""
        return p["status"] == "queued" and self._pull_request_approved(p) < self.branches[p["target_id"]]["approvals"]

    def _breaks_rule_4(self, p: PullRequest) -> bool:
        """Whether this is broken: nothing is queued while a reviewer wants changes."""
        return p["status"] == "queued" and self._pull_request_objections(p) != 0

    def _breaks_rule_5(self, p: PullRequest) -> bool:
        """Whether this is broken: everything a queued pull request touches was approved by its owners."""
        return (
            p["status"] == "queued"
            and any(not self._signed(p, a) for a in [self.areas[key] for key in p["area_ids"]])
        )

    def _breaks_rule_6(self, c: Check) -> bool:
        """Whether this is broken: all checks of a queued pull request have passed."""
        return c["result"] != "passed" and self.pull_requests[c["pull_id"]]["status"] == "queued"

    def _breaks_rule_7(self, c: Check) -> bool:
        """Whether this is broken: a pull request has one check of a kind."""
        return any(
            other_c is not c
            for other_c in self._checks_by_pull_kind.get((c["pull_id"], c["kind"]), {}).values()
        )

    def _breaks_rule_8(self, p: PullRequest) -> bool:
        """Whether this is broken: only hotfixes are queued on a frozen branch."""
        return p["status"] == "queued" and (not p["hotfix"] and self.branches[p["target_id"]]["frozen"])

    def _breaks_rule_9_p(self, p: PullRequest) -> bool:
        """Whether this is broken: what is queued has a place of its own in the queue of its branch, and nothing else
        has one.
        """
        return (p["place"] is not None) != (p["status"] == "queued")

    def _breaks_rule_9_p_again(self, p: PullRequest) -> bool:
        """Whether this is broken: what is queued has a place of its own in the queue of its branch, and nothing else
        has one.
        """
        return (
            p["status"] == "queued"
            and any(
                other_p is not p
                for other_p in self._pull_requests_by_target_status.get((p["target_id"], "queued"), {}).values()
                if other_p["place"] == p["place"]
            )
        )

    def _breaks_rule_10_p(self, p: PullRequest) -> bool:
        """Whether this is broken: a stacked pull request waits behind the one it is stacked on, for the same branch.
        """
        return (
            p["stacked_on_id"] is not None
            and self.pull_requests[p["stacked_on_id"]]["target_id"] != p["target_id"]
        )

    def _breaks_rule_10_p_again(self, p: PullRequest) -> bool:
        """Whether this is broken: a stacked pull request waits behind the one it is stacked on, for the same branch.
        """
        return (
            p["status"] == "queued"
            and not (
                p["stacked_on_id"] is None
                or self.pull_requests[p["stacked_on_id"]]["status"] == "merged"
                or self.pull_requests[p["stacked_on_id"]]["status"] == "queued"
                and (
                    self.pull_requests[p["stacked_on_id"]]["place"]
                    if self.pull_requests[p["stacked_on_id"]]["place"] is not None
                    else 0
                ) < (p["place"] if p["place"] is not None else 0)
            )
        )

    def _breaks_rule_11(self, d: Developer) -> bool:
        """Whether this is broken: nobody is asked for more reviews than they take at a time."""
        return self._developer_asked_of(d) > d["most_reviews"]

    def _breaks_rule_12(self, p: PullRequest) -> bool:
        """Whether this is broken: a pull request touches at least one area, and each once."""
        return not (
            len(p["area_ids"]) > 0
            and _different([a["id"] for a in [self.areas[key] for key in p["area_ids"]]])
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
            case "teams":
                self._teams_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "developers":
                self._developers_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "pull_requests":
                for key in record["asked_ids"]:
                    self._pull_requests_by_asked.setdefault(key, {})[record["id"]] = record
                self._pull_requests_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._pull_requests_by_stacked_on.setdefault(record["stacked_on_id"], {})[record["id"]] = record
                self._pull_requests_by_stacked_on_status.setdefault(
                    (record["stacked_on_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._pull_requests_by_target_status.setdefault(
                    (record["target_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._pull_requests_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "reviews":
                self._reviews_by_pull.setdefault(record["pull_id"], {})[record["id"]] = record
                self._reviews_by_pull_reviewer.setdefault(
                    (record["pull_id"], record["reviewer_id"]),
                    {},
                )[record["id"]] = record
                self._reviews_by_pull_reviewer_verdict.setdefault(
                    (record["pull_id"], record["reviewer_id"], record["verdict"]),
                    {},
                )[record["id"]] = record
                self._reviews_by_pull_verdict.setdefault(
                    (record["pull_id"], record["verdict"]),
                    {},
                )[record["id"]] = record
            case "checks":
                self._checks_by_pull.setdefault(record["pull_id"], {})[record["id"]] = record
                self._checks_by_pull_kind.setdefault((record["pull_id"], record["kind"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "teams":
                del self._teams_by_within[record["within_id"]][record["id"]]
            case "developers":
                del self._developers_by_team[record["team_id"]][record["id"]]
            case "pull_requests":
                for key in record["asked_ids"]:
                    self._pull_requests_by_asked[key].pop(record["id"], None)
                del self._pull_requests_by_lower_title[record["title"].lower()][record["id"]]
                del self._pull_requests_by_stacked_on[record["stacked_on_id"]][record["id"]]
                del self._pull_requests_by_stacked_on_status[record["stacked_on_id"], record["status"]][record["id"]]
                del self._pull_requests_by_target_status[record["target_id"], record["status"]][record["id"]]
                del self._pull_requests_by_title[record["title"]][record["id"]]
            case "reviews":
                del self._reviews_by_pull[record["pull_id"]][record["id"]]
                del self._reviews_by_pull_reviewer[record["pull_id"], record["reviewer_id"]][record["id"]]
                del self._reviews_by_pull_reviewer_verdict[
                    record["pull_id"],
                    record["reviewer_id"],
                    record["verdict"],
                ][record["id"]]
                del self._reviews_by_pull_verdict[record["pull_id"], record["verdict"]][record["id"]]
            case "checks":
                del self._checks_by_pull[record["pull_id"]][record["id"]]
                del self._checks_by_pull_kind[record["pull_id"], record["kind"]][record["id"]]
