"""Building permits. Compiled from blueprint.yaml; run `envscaler build building_permits` after changing it there.

Takes building projects from the filing of plans through the reviews of several departments, fees and issue to
the inspections on site, with stop-work orders and closing.
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
    "A site has one project under way at a time.",
    "Each department that a kind of project concerns reviews it once, and no other department does.",
    "A project is cleared only when every department agrees.",
    "Plans are returned when all departments have decided and one at least objects.",
    "A department's review is decided by one of its own officials, and an open one by nobody yet.",
    "An objection says what must change.",
    "Building starts only after the permit fee has been paid in full, and nobody pays more than is due.",
    "A project has one inspection booked at a time, for its next stage and with work allowed.",
    "Nobody inspects a project that they have reviewed.",
    "No inspector makes more visits on a day than they can.",
    "A stopped site says why, and no other site is stopped.",
    "A project is closed when every stage has passed and nothing is owed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "file_application",
    "decide_review",
    "resubmit_plans",
    "pay_fee",
    "issue_permit",
    "book_inspection",
    "move_inspection",
    "record_inspection",
    "stop_work",
    "lift_stop",
    "close_permit",
)
"""The methods that may change something; all others only read."""

PERMIT_STATUS_MOVES = {
    ("in_review", "returned"),
    ("in_review", "cleared"),
    ("in_review", "withdrawn"),
    ("returned", "in_review"),
    ("returned", "withdrawn"),
    ("cleared", "issued"),
    ("cleared", "withdrawn"),
    ("issued", "stopped"),
    ("issued", "closed"),
    ("stopped", "issued"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "departments": ("name",),
    "officials": ("name",),
    "owners": ("name",),
    "kinds": ("name",),
    "permits": ("number",),
    "reviews": (),
    "inspections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("inspections", "inspector_id"),
    ("inspections", "permit_id"),
    ("inspections", "result"),
    ("inspections", "stage"),
    ("permits", "number"),
    ("permits", "owner_id"),
    ("permits", "site"),
    ("reviews", "decided_by_id"),
    ("reviews", "department_id"),
    ("reviews", "permit_id"),
    ("reviews", "verdict"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Department(TypedDict):
    id: str
    name: str
    review_days: int


class Official(TypedDict):
    id: str
    name: str
    department_id: str
    visits_a_day: int


class Owner(TypedDict):
    id: str
    name: str


class Kind(TypedDict):
    id: str
    name: str
    base_fee: int
    per_mille: int
    reinspection_fee: int
    department_ids: list[str]
    stages: list[Literal["foundation", "framing", "services", "final"]]


class Permit(TypedDict):
    id: str
    number: str
    site: str
    kind_id: str
    owner_id: str
    cost: int
    filed_on: str
    issued_on: str | None
    paid: int
    extra_fees: int
    stopped_for: str | None
    status: Literal["in_review", "returned", "cleared", "withdrawn", "issued", "stopped", "closed"]


class Review(TypedDict):
    id: str
    permit_id: str
    department_id: str
    due_on: str
    decided_by_id: str | None
    comment: str | None
    verdict: Literal["open", "agreed", "objected"]


class Inspection(TypedDict):
    id: str
    permit_id: str
    stage: Literal["foundation", "framing", "services", "final"]
    inspector_id: str
    on: str
    findings: str | None
    result: Literal["booked", "passed", "failed", "cancelled"]


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


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


class BuildingPermits:
    """Takes building projects from the filing of plans through the reviews of several departments, fees
    and issue to the inspections on site, with stop-work orders and closing.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.departments: dict[str, Department] = _copied(config.get("departments", {}))
        self.officials: dict[str, Official] = _copied(config.get("officials", {}))
        self.owners: dict[str, Owner] = _copied(config.get("owners", {}))
        self.kinds: dict[str, Kind] = _copied(config.get("kinds", {}))
        self.permits: dict[str, Permit] = _copied(config.get("permits", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.now: str = config.get("now", "2026-04-13T08:30")
        self.counters: dict[str, int] = {
            "department": len(self.departments),
            "official": len(self.officials),
            "owner": len(self.owners),
            "kind": len(self.kinds),
            "permit": len(self.permits),
            "review": len(self.reviews),
            "inspection": len(self.inspections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._permits_by_lower_number: dict[Any, dict[str, Permit]] = {}
        self._permits_by_number: dict[Any, dict[str, Permit]] = {}
        self._permits_by_owner: dict[Any, dict[str, Permit]] = {}
        self._permits_by_site: dict[Any, dict[str, Permit]] = {}
        self._reviews_by_department_verdict: dict[Any, dict[str, Review]] = {}
        self._reviews_by_permit: dict[Any, dict[str, Review]] = {}
        self._reviews_by_permit_decided_by: dict[Any, dict[str, Review]] = {}
        self._reviews_by_permit_department: dict[Any, dict[str, Review]] = {}
        self._reviews_by_permit_verdict: dict[Any, dict[str, Review]] = {}
        self._inspections_by_inspector: dict[Any, dict[str, Inspection]] = {}
        self._inspections_by_permit_inspector: dict[Any, dict[str, Inspection]] = {}
        self._inspections_by_permit_result: dict[Any, dict[str, Inspection]] = {}
        self._inspections_by_permit_stage_result: dict[Any, dict[str, Inspection]] = {}
        for permit in self.permits.values():
            self._link("permits", permit)
        for review in self.reviews.values():
            self._link("reviews", review)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)

    def review_backlog(
        self,
        department_id: str | None = None,
        due_by: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Reviews that departments have not decided, those due first on top.

        Args:
            department_id (str, optional): Department that has to review; an id such as DEPARTMENT-00001. If left
                out, reviews of all departments are listed.
            due_by (str, optional): Last due date to include, as YYYY-MM-DD. If left out, reviews with any due date
                are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}} or {"success": False, "error": why
                not}
        """
        department = self.departments.get(department_id) if department_id is not None else None
        if department_id is not None and department is None:
            return _refused(f"There is no department {department_id!r}.")
        found = [
            r
            for r in self.reviews.values()
            if (r["verdict"] == "open" and self.permits[r["permit_id"]]["status"] == "in_review")
            and (department_id is None or r["department_id"] == department_id)
            and (due_by is None or r["due_on"] <= due_by)
        ]
        found.sort(key=lambda r: (r["due_on"], r["id"], _age(r)))
        return _found(
            {
                "total": len(found),
                "reviews": [
                    {
                        "id": r["id"],
                        "department": self.departments[r["department_id"]]["name"],
                        "number": self.permits[r["permit_id"]]["number"],
                        "site": self.permits[r["permit_id"]]["site"],
                        "kind": self.kinds[self.permits[r["permit_id"]]["kind_id"]]["name"],
                        "due_on": r["due_on"],
                        "filed_on": self.permits[r["permit_id"]]["filed_on"],
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def free_inspectors(
        self,
        permit_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Inspectors who may and can visit a project on a day, those with the fewest visits first.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            on (str): Day of the visit, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officials": records}} or {"success": False, "error":
                why not}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        found = [
            o
            for o in self.officials.values()
            if self._visits(o, on) < o["visits_a_day"]
            and not self._has_reviewed(o, permit)
        ]
        found.sort(key=lambda o: (self._visits(o, on), o["name"], _age(o)))
        return _found(
            {
                "total": len(found),
                "officials": [
                    {
                        "id": o["id"],
                        "name": o["name"],
                        "visits": self._visits(o, on),
                        "visits_a_day": o["visits_a_day"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def fees_due(
        self,
        status: Literal["in_review", "returned", "cleared", "withdrawn", "issued", "stopped", "closed"] | None = None,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Projects for which fees are due, the largest amounts first.

        Args:
            status (str, optional): Status of the projects: in_review, returned, cleared, withdrawn, issued,
                stopped or closed. If left out, projects of every status are listed.
            owner_id (str, optional): Owner who has to pay; an id such as OWNER-00001. If left out, projects of all
                owners are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}} or {"success": False, "error": why
                not}
        """
        owner = self.owners.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no owner {owner_id!r}.")
        found = [
            p
            for p in self.permits.values()
            if self._permit_due(p) > 0
            and (status is None or p["status"] == status)
            and (owner_id is None or p["owner_id"] == owner_id)
        ]
        found.sort(key=lambda p: (-self._permit_due(p), p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "permits": [
                    {
                        "id": p["id"],
                        "number": p["number"],
                        "site": p["site"],
                        "kind": self.kinds[p["kind_id"]]["name"],
                        "owner": self.owners[p["owner_id"]]["name"],
                        "status": p["status"],
                        "due": self._permit_due(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def visits_due(
        self,
        until: Date,
        inspector_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Inspections that are booked up to a day.

        Args:
            until (str): Last day of visits to include, as YYYY-MM-DD.
            inspector_id (str, optional): Official who makes the visits; an id such as OFFICIAL-00001. If left out,
                visits of all inspectors are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}} or {"success": False, "error":
                why not}
        """
        inspector = self.officials.get(inspector_id) if inspector_id is not None else None
        if inspector_id is not None and inspector is None:
            return _refused(f"There is no official {inspector_id!r}.")
        found = [
            i
            for i in self.inspections.values()
            if (i["result"] == "booked" and i["on"] <= until)
            and (inspector_id is None or i["inspector_id"] == inspector_id)
        ]
        found.sort(key=lambda i: (i["on"], i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "inspections": [
                    {
                        "id": i["id"],
                        "number": self.permits[i["permit_id"]]["number"],
                        "site": self.permits[i["permit_id"]]["site"],
                        "kind": self.kinds[self.permits[i["permit_id"]]["kind_id"]]["name"],
                        "stage": i["stage"],
                        "on": i["on"],
                        "inspector": self.officials[i["inspector_id"]]["name"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_departments(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the departments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only departments whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "departments": records}}
        """
        found = [
            department
            for department in self.departments.values()
            if (name is None or name.casefold() in department["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "departments": [self._show_department(department) for department in _page(found, offset)],
            }
        )

    def list_officials(
        self,
        name: Text | None = None,
        department_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the officials, oldest first, all of them or only some.

        Args:
            name (str, optional): Only officials whose name contains this text.
            department_id (str, optional): Only officials of this department.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officials": records}}
        """
        if department_id is not None and department_id not in self.departments:
            return _refused(f"There is no department {department_id!r}.")
        found = [
            official
            for official in self.officials.values()
            if (name is None or name.casefold() in official["name"].casefold())
            and (department_id is None or official["department_id"] == department_id)
        ]
        shown = [{**official} for official in _page(found, offset)]
        return _found({"total": len(found), "officials": shown}, self._names_of_officials(shown))

    def list_owners(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the owners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only owners whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "owners": records}}
        """
        found = [
            owner
            for owner in self.owners.values()
            if (name is None or name.casefold() in owner["name"].casefold())
        ]
        return _found({"total": len(found), "owners": [self._show_owner(owner) for owner in _page(found, offset)]})

    def list_kinds(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kinds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only kinds whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kinds": records}}
        """
        found = [kind for kind in self.kinds.values() if (name is None or name.casefold() in kind["name"].casefold())]
        shown = [self._show_kind(kind) for kind in _page(found, offset)]
        return _found({"total": len(found), "kinds": shown}, self._names_of_kinds(shown))

    def list_permits(
        self,
        number: Text | None = None,
        kind_id: str | None = None,
        owner_id: str | None = None,
        status: Literal["in_review", "returned", "cleared", "withdrawn", "issued", "stopped", "closed"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the permits, oldest first, all of them or only some.

        Args:
            number (str, optional): Only permits whose number contains this text.
            kind_id (str, optional): Only permits of this kind.
            owner_id (str, optional): Only permits of this owner.
            status (str, optional): Only permits with this status.
            filed_on_from (str, optional): Only permits whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only permits whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}}
        """
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        if owner_id is not None and owner_id not in self.owners:
            return _refused(f"There is no owner {owner_id!r}.")
        found = [
            permit
            for permit in self.permits.values()
            if (number is None or number.casefold() in permit["number"].casefold())
            and (kind_id is None or permit["kind_id"] == kind_id)
            and (owner_id is None or permit["owner_id"] == owner_id)
            and (status is None or permit["status"] == status)
            and (filed_on_from is None or permit["filed_on"] >= filed_on_from)
            and (filed_on_to is None or permit["filed_on"] <= filed_on_to)
        ]
        shown = [self._show_permit(permit) for permit in _page(found, offset)]
        return _found({"total": len(found), "permits": shown}, self._names_of_permits(shown))

    def list_reviews(
        self,
        permit_id: str | None = None,
        department_id: str | None = None,
        decided_by_id: str | None = None,
        verdict: Literal["open", "agreed", "objected"] | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            permit_id (str, optional): Only reviews of this permit.
            department_id (str, optional): Only reviews of this department.
            decided_by_id (str, optional): Only reviews decided by this official.
            verdict (str, optional): Only reviews with this verdict.
            due_on_from (str, optional): Only reviews whose `due_on` is on this day or later.
            due_on_to (str, optional): Only reviews whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if permit_id is not None and permit_id not in self.permits:
            return _refused(f"There is no permit {permit_id!r}.")
        if department_id is not None and department_id not in self.departments:
            return _refused(f"There is no department {department_id!r}.")
        if decided_by_id is not None and decided_by_id not in self.officials:
            return _refused(f"There is no official {decided_by_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (permit_id is None or review["permit_id"] == permit_id)
            and (department_id is None or review["department_id"] == department_id)
            and (decided_by_id is None or review["decided_by_id"] == decided_by_id)
            and (verdict is None or review["verdict"] == verdict)
            and (due_on_from is None or review["due_on"] >= due_on_from)
            and (due_on_to is None or review["due_on"] <= due_on_to)
        ]
        shown = [{**review} for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def list_inspections(
        self,
        permit_id: str | None = None,
        stage: Literal["foundation", "framing", "services", "final"] | None = None,
        inspector_id: str | None = None,
        result: Literal["booked", "passed", "failed", "cancelled"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            permit_id (str, optional): Only inspections of this permit.
            stage (str, optional): Only inspections with this stage.
            inspector_id (str, optional): Only inspections whose inspector is this official.
            result (str, optional): Only inspections with this result.
            on_from (str, optional): Only inspections whose `on` is on this day or later.
            on_to (str, optional): Only inspections whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if permit_id is not None and permit_id not in self.permits:
            return _refused(f"There is no permit {permit_id!r}.")
        if inspector_id is not None and inspector_id not in self.officials:
            return _refused(f"There is no official {inspector_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (permit_id is None or inspection["permit_id"] == permit_id)
            and (stage is None or inspection["stage"] == stage)
            and (inspector_id is None or inspection["inspector_id"] == inspector_id)
            and (result is None or inspection["result"] == result)
            and (on_from is None or inspection["on"] >= on_from)
            and (on_to is None or inspection["on"] <= on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def file_application(
        self,
        owner_id: str,
        kind_id: str,
        site: Text,
        cost: Annotated[int, {"minimum": 100000, "maximum": 900000000}],
        number: Text,
    ) -> Result:
        """File the plans of a project, which go to every department its kind concerns.

        Args:
            owner_id (str): Id of the owner, such as OWNER-00001.
            kind_id (str): Id of the kind, such as KIND-00001.
            site (str): Address of the building site, with no other project under way.
            cost (int): Estimated cost of the construction, in cents, from 100000 to 900000000.
            number (str): New number of the application, not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        owner = self.owners.get(owner_id)
        if owner is None:
            return _refused(f"There is no owner {owner_id!r}.")
        kind = self.kinds.get(kind_id)
        if kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        if self._permits_by_lower_number.get(number.lower(), {}):
            return _refused(f"The file number {number} is taken.")
        other = next(
            (
                p
                for p in sorted(self._permits_by_site.get(site, {}).values(), key=_age)
                if p["status"] not in ("closed", "withdrawn")
            ),
            None,
        )
        if other is not None:
            return _refused(f"{self.owners[other['owner_id']]['name']} has a project under way at {site} already.")
        self._journal = []
        added_reviews: list[Any] = []
        project: Permit = {
            "id": self._new_id("permit", "PERMIT", self.permits),
            "number": number,
            "site": site,
            "kind_id": kind_id,
            "owner_id": owner_id,
            "cost": cost,
            "filed_on": self.now[:10],
            "issued_on": None,
            "paid": 0,
            "extra_fees": 0,
            "stopped_for": None,
            "status": "in_review",
        }
        self._add("permits", project)
        for d in [self.departments[key] for key in kind["department_ids"]]:
            review = {
                "id": self._new_id("review", "REVIEW", self.reviews),
                "permit_id": project["id"],
                "department_id": d["id"],
                "due_on": _plus_days(self.now[:10], d["review_days"]),
                "decided_by_id": None,
                "comment": None,
                "verdict": "open",
            }
            self._add("reviews", review)
            added_reviews.append(review)
        if len(self._permits_by_number.get(project["number"], {})) > 1:
            return self._take_back(f"There is already a permit with the number {project['number']!r}.")
        if self._breaks_rule_1(project):
            return self._take_back(RULES[0])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_2_r(one_review):
                return self._take_back(RULES[1])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_2_r_again(one_review):
                return self._take_back(RULES[1])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        for one_permit in _distinct([project, *[self.permits[one["permit_id"]] for one in added_reviews]]):
            if self._breaks_rule_4(one_permit):
                return self._take_back(RULES[3])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_5_r(one_review):
                return self._take_back(RULES[4])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_5_r_again(one_review):
                return self._take_back(RULES[4])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_6(one_review):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_p(project):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(project):
            return self._take_back(RULES[6])
        for one_review in _distinct(added_reviews):
            if self._breaks_rule_9_r(one_review):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(project):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(project):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: file {owner['name']}'s {kind['name']} at {site} under {number} (new: permit {project['id']})."
            ),
            "data": {"permit_id": project["id"], **self._changes()},
        }

    def decide_review(self, review_id: str, by_id: str, agrees: bool, comment: Text | None = None) -> Result:
        """Record that a department agrees or objects; the last decision clears the project or returns the plans.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            by_id (str): Official of the reviewing department who decides; an id such as OFFICIAL-00001.
            agrees (bool): Whether the department agrees rather than objects.
            comment (str, optional): Remark on the decision, needed for an objection. If left out, no remark is
                kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        by = self.officials.get(by_id)
        if by is None:
            return _refused(f"There is no official {by_id!r}.")
        if self.permits[review["permit_id"]]["status"] != "in_review":
            return _refused(
                f"The project at {self.permits[review['permit_id']]['site']} is "
                f"{self.permits[review['permit_id']]['status']}, so there is nothing to decide."
            )
        if review["verdict"] != "open":
            return _refused(
                f"{self.departments[review['department_id']]['name']} has decided already, the review is "
                f"{review['verdict']}."
            )
        if by["department_id"] != review["department_id"]:
            return _refused(
                f"{by['name']} works for {self.departments[by['department_id']]['name']}, not for "
                f"{self.departments[review['department_id']]['name']}."
            )
        if not (agrees or comment is not None):
            return _refused("An objection needs a comment that says what must change.")
        self._journal = []
        changed_permits: list[Any] = []
        self._put("reviews", review, "decided_by_id", by_id)
        self._put("reviews", review, "comment", comment)
        verdict = "agreed" if agrees else "objected"
        self._put("reviews", review, "verdict", verdict)
        rest = [
            r
            for r in sorted(self._reviews_by_permit.get(review["permit_id"], {}).values(), key=_age)
            if r["verdict"] != "agreed"
        ]
        if len(rest) == 0:
            permit = self.permits[review["permit_id"]]
            if permit["status"] not in ("in_review", "cleared"):
                return self._take_back(f"Permit {permit['number']} cannot go from {permit['status']} to cleared.")
            changed_permits.append(permit)
            self._put("permits", permit, "status", "cleared")
        else:
            if all(r["verdict"] == "objected" for r in rest):
                its_permit = self.permits[review["permit_id"]]
                if its_permit["status"] not in ("in_review", "returned"):
                    return self._take_back(
                        f"Permit {its_permit['number']} cannot go from {its_permit['status']} to returned."
                    )
                changed_permits.append(its_permit)
                self._put("permits", its_permit, "status", "returned")
        for one_permit in _distinct(changed_permits):
            if self._breaks_rule_1(one_permit):
                return self._take_back(RULES[0])
        for one_review in _distinct(
            [
                review,
                *[user for one in changed_permits for user in self._reviews_by_permit.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        for one_permit in _distinct([self.permits[review["permit_id"]], *changed_permits]):
            if self._breaks_rule_4(one_permit):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_r(review):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_r_again(review):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(review):
            return self._take_back(RULES[5])
        for one_permit in _distinct(changed_permits):
            if self._breaks_rule_7_p(one_permit):
                return self._take_back(RULES[6])
        for one_permit in _distinct(changed_permits):
            if self._breaks_rule_7_p_again(one_permit):
                return self._take_back(RULES[6])
        for one_inspection in _distinct(
            [
                user
                for one in changed_permits
                for user in self._inspections_by_permit_result.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_r(review):
            return self._take_back(RULES[8])
        for one_permit in _distinct(changed_permits):
            if self._breaks_rule_11(one_permit):
                return self._take_back(RULES[10])
        for one_permit in _distinct(changed_permits):
            if self._breaks_rule_12(one_permit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the decision of {by['name']} for "
                f"{self.departments[review['department_id']]['name']} on "
                f"{self.kinds[self.permits[review['permit_id']]['kind_id']]['name']} at "
                f"{self.permits[review['permit_id']]['site']}."
            ),
            "data": self._changes(),
        }

    def resubmit_plans(
        self,
        permit_id: str,
        cost: Annotated[int, {"minimum": 100000, "maximum": 900000000}] | None = None,
    ) -> Result:
        """Resubmit returned plans to the departments that objected, or to all of them where the cost rises by more
        than a tenth.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            cost (int, optional): New estimated cost of the construction, never below the present one, in cents,
                from 100000 to 900000000. If left out, the cost stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] != "returned":
            return _refused(f"The plans for {permit['site']} are {permit['status']}, not returned.")
        amount = cost if cost is not None else permit["cost"]
        if amount < permit["cost"]:
            return _refused(
                f"The cost at {permit['site']} was {_money(permit['cost'])} and is not lowered by a resubmission."
            )
        self._journal = []
        changed_reviews: list[Any] = []
        changed_reviews_2: list[Any] = []
        changed_reviews_3: list[Any] = []
        all_again = amount * 10 > permit["cost"] * 11
        for r in [
            r
            for r in sorted(self._reviews_by_permit.get(permit_id, {}).values(), key=_age)
            if (all_again or r["verdict"] == "objected")
        ]:
            changed_reviews.append(r)
            self._put("reviews", r, "verdict", "open")
            changed_reviews_2.append(r)
            self._put("reviews", r, "decided_by_id", None)
            changed_reviews_3.append(r)
            self._put("reviews", r, "comment", None)
            self._put(
                "reviews",
                r,
                "due_on",
                _plus_days(self.now[:10], self.departments[r["department_id"]]["review_days"]),
            )
        if not 100000 <= amount <= 900000000:
            return self._take_back(f"The cost of {permit['number']} must be between 1,000.00 and 9,000,000.00.")
        self._put("permits", permit, "cost", amount)
        self._put("permits", permit, "status", "in_review")
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        for one_review in _distinct([*changed_reviews, *self._reviews_by_permit.get(permit["id"], {}).values()]):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        for one_permit in _distinct([permit, *[self.permits[one["permit_id"]] for one in changed_reviews]]):
            if self._breaks_rule_4(one_permit):
                return self._take_back(RULES[3])
        for one_review in _distinct([*changed_reviews, *changed_reviews_2]):
            if self._breaks_rule_5_r(one_review):
                return self._take_back(RULES[4])
        for one_review in _distinct(changed_reviews_2):
            if self._breaks_rule_5_r_again(one_review):
                return self._take_back(RULES[4])
        for one_review in _distinct([*changed_reviews, *changed_reviews_3]):
            if self._breaks_rule_6(one_review):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_p(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(permit):
            return self._take_back(RULES[6])
        for one_inspection in _distinct(
            self._inspections_by_permit_result.get((permit["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        for one_review in _distinct(changed_reviews_2):
            if self._breaks_rule_9_r(one_review):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(permit):
            return self._take_back(RULES[11])
        done = f"resubmit the plans for {permit['site']}"
        if cost is not None:
            done += f" with a cost of {_money(cost)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def pay_fee(
        self,
        permit_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 90000000}] | None = None,
    ) -> Result:
        """Record a payment towards the fees of a project; without an amount all that is due is paid.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            amount (int, optional): Amount paid, at most what is due, in cents, from 1 to 90000000. If left out,
                all that is due is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if self._permit_due(permit) <= 0:
            return _refused(f"Nothing is due for {permit['site']}.")
        part = amount if amount is not None else self._permit_due(permit)
        if part > self._permit_due(permit):
            return _refused(f"Only {_money(self._permit_due(permit))} is due for {permit['site']}.")
        self._journal = []
        paid = permit["paid"] + part
        if not 0 <= paid <= 90000000:
            return self._take_back(f"The paid of {permit['number']} must be between 0.00 and 900,000.00.")
        self._put("permits", permit, "paid", paid)
        if self._breaks_rule_7_p(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_12(permit):
            return self._take_back(RULES[11])
        done = f"record a payment for the project at {permit['site']}"
        if amount is not None:
            done += f", {_money(amount)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def issue_permit(self, permit_id: str) -> Result:
        """Issue the permit of a cleared project whose fees are paid, so that building may start.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] != "cleared":
            return _refused(f"The project at {permit['site']} is {permit['status']}, not cleared.")
        if self._permit_due(permit) != 0:
            return _refused(f"{_money(self._permit_due(permit))} must be paid for {permit['site']} first.")
        self._journal = []
        self._put("permits", permit, "issued_on", self.now[:10])
        self._put("permits", permit, "status", "issued")
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_permit.get(permit["id"], {}).values()):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(permit):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_p(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(permit):
            return self._take_back(RULES[6])
        for one_inspection in _distinct(
            self._inspections_by_permit_result.get((permit["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(permit):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: issue the permit for {permit['site']}.", "data": self._changes()}

    def book_inspection(self, permit_id: str, inspector_id: str, on: Date) -> Result:
        """Book the inspection of the next stage of a project.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            inspector_id (str): Official who makes site visits and took no part in the review; an id such as
                OFFICIAL-00001.
            on (str): Working day of the visit, from today to 60 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        inspector = self.officials.get(inspector_id)
        if inspector is None:
            return _refused(f"There is no official {inspector_id!r}.")
        if permit["status"] != "issued":
            return _refused(f"The project at {permit['site']} is {permit['status']}, so nothing is inspected there.")
        stage = self._permit_next_stage(permit)
        if stage is None:
            return _refused(f"Every stage at {permit['site']} has passed, so the project can be closed.")
        other = self._visit_of(permit)
        if other is not None:
            return _refused(
                f"The {other['stage']} inspection at {permit['site']} is booked for {other['on']} already."
            )
        if self._permit_due(permit) != 0:
            return _refused(f"{_money(self._permit_due(permit))} is due for {permit['site']} and must be paid first.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 60):
            return _refused(f"Inspections are booked from {self.now[:10]} to {_plus_days(self.now[:10], 60)}.")
        if _weekday(on) > 5:
            return _refused(f"{on} is at a weekend.")
        if inspector["visits_a_day"] <= 0:
            return _refused(f"{inspector['name']} makes no site visits.")
        if self._has_reviewed(inspector, permit):
            return _refused(f"{inspector['name']} reviewed the plans for {permit['site']} and cannot inspect it.")
        if self._visits(inspector, on) >= inspector["visits_a_day"]:
            return _refused(
                f"{inspector['name']} has {self._visits(inspector, on)} visits on {on} and can make no more."
            )
        self._journal = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "permit_id": permit_id,
            "stage": stage,
            "inspector_id": inspector_id,
            "on": on,
            "findings": None,
            "result": "booked",
        }
        self._add("inspections", inspection)
        if self._breaks_rule_8_i(inspection):
            return self._take_back(RULES[7])
        for one_inspection in _distinct(
            [inspection, *self._inspections_by_permit_result.get((inspection["permit_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_i(inspection):
            return self._take_back(RULES[8])
        for one_inspection in _distinct(
            [inspection, *self._inspections_by_inspector.get(inspection["inspector_id"], {}).values()]
        ):
            if self._breaks_rule_10(one_inspection):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(self.permits[inspection["permit_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book the next inspection at {permit['site']} with {inspector['name']} for {on} (new: "
                f"inspection {inspection['id']})."
            ),
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def move_inspection(self, inspection_id: str, on: Date | None = None, inspector_id: str | None = None) -> Result:
        """Move a booked inspection to another day, another inspector, or both.

        Args:
            inspection_id (str): Id of the inspection, such as INSPECTION-00001.
            on (str, optional): New working day of the visit, from today to 60 days ahead, as YYYY-MM-DD. If left
                out, the day stays as it is.
            inspector_id (str, optional): Official who takes over the visit and took no part in the review; an id
                such as OFFICIAL-00001. If left out, the inspector stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        inspection = self.inspections.get(inspection_id)
        if inspection is None:
            return _refused(f"There is no inspection {inspection_id!r}.")
        inspector = self.officials.get(inspector_id) if inspector_id is not None else None
        if inspector_id is not None and inspector is None:
            return _refused(f"There is no official {inspector_id!r}.")
        if inspection["result"] != "booked":
            return _refused(f"That inspection is {inspection['result']}.")
        if on is None and inspector_id is None:
            return _refused("Say which day or which inspector it moves to.")
        there = on if on is not None else inspection["on"]
        who = inspector or self.officials[inspection["inspector_id"]]
        if there == inspection["on"] and who["id"] == inspection["inspector_id"]:
            return _refused(
                f"The visit to {self.permits[inspection['permit_id']]['site']} is with {who['name']} on {there} "
                "already."
            )
        if there < self.now[:10] or there > _plus_days(self.now[:10], 60):
            return _refused(
                f"Inspections are moved to a day from {self.now[:10]} to {_plus_days(self.now[:10], 60)}."
            )
        if _weekday(there) > 5:
            return _refused(f"{there} is at a weekend.")
        if who["visits_a_day"] <= 0:
            return _refused(f"{who['name']} makes no site visits.")
        if self._has_reviewed(who, self.permits[inspection["permit_id"]]):
            return _refused(
                f"{who['name']} reviewed the plans for {self.permits[inspection['permit_id']]['site']} and cannot "
                "inspect it."
            )
        if self._visits(who, there) >= who["visits_a_day"]:
            return _refused(f"{who['name']} has {self._visits(who, there)} visits on {there} and can make no more.")
        self._journal = []
        self._put("inspections", inspection, "on", there)
        former_inspector_id = inspection["inspector_id"]
        self._put("inspections", inspection, "inspector_id", who["id"])
        if self._breaks_rule_9_i(inspection):
            return self._take_back(RULES[8])
        for one_inspection in _distinct(
            [
                inspection,
                *self._inspections_by_inspector.get(inspection["inspector_id"], {}).values(),
                *self._inspections_by_inspector.get(former_inspector_id, {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_inspection):
                return self._take_back(RULES[9])
        done = f"move the inspection at {self.permits[inspection['permit_id']]['site']}"
        if on is not None:
            done += f" to {on}"
        if inspector is not None:
            done += f" to {inspector['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def record_inspection(self, inspection_id: str, passed: bool, findings: Text | None = None) -> Result:
        """Record how an inspection went; a failure adds the re-inspection fee, and the second failure of a stage
        stops the work.

        Args:
            inspection_id (str): Id of the inspection, such as INSPECTION-00001.
            passed (bool): Whether the stage passed the inspection.
            findings (str, optional): What the inspector found, needed for a failure. If left out, no findings are
                kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        inspection = self.inspections.get(inspection_id)
        if inspection is None:
            return _refused(f"There is no inspection {inspection_id!r}.")
        if inspection["result"] != "booked":
            return _refused(f"That inspection is {inspection['result']}.")
        if inspection["on"] > self.now[:10]:
            return _refused(f"The visit to {self.permits[inspection['permit_id']]['site']} is on {inspection['on']}.")
        if not (passed or findings is not None):
            return _refused("A failed inspection needs findings.")
        self._journal = []
        changed_inspections: list[Any] = []
        changed_permits: list[Any] = []
        changed_permits_2: list[Any] = []
        changed_permits_3: list[Any] = []
        permit = self.permits[inspection["permit_id"]]
        self._put("inspections", inspection, "findings", findings)
        if passed:
            changed_inspections.append(inspection)
            self._put("inspections", inspection, "result", "passed")
        else:
            if inspection["result"] not in ("booked", "failed"):
                return self._take_back(
                    f"Inspection {inspection['id']} cannot go from {inspection['result']} to failed."
                )
            changed_inspections.append(inspection)
            self._put("inspections", inspection, "result", "failed")
            extra_fees = permit["extra_fees"] + self.kinds[permit["kind_id"]]["reinspection_fee"]
            if not 0 <= extra_fees <= 9000000:
                return self._take_back(f"The extra fees of {permit['number']} must be between 0.00 and 90,000.00.")
            changed_permits.append(permit)
            self._put("permits", permit, "extra_fees", extra_fees)
            if self._failures(permit, inspection) >= 2:
                changed_permits_2.append(permit)
                self._put("permits", permit, "stopped_for", "failed the same inspection twice")
                if permit["status"] not in ("issued", "stopped"):
                    return self._take_back(f"Permit {permit['number']} cannot go from {permit['status']} to stopped.")
                changed_permits_3.append(permit)
                self._put("permits", permit, "status", "stopped")
        for one_permit in _distinct(changed_permits_3):
            if self._breaks_rule_1(one_permit):
                return self._take_back(RULES[0])
        for one_review in _distinct(
            [user for one in changed_permits_3 for user in self._reviews_by_permit.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        for one_permit in _distinct(changed_permits_3):
            if self._breaks_rule_4(one_permit):
                return self._take_back(RULES[3])
        for one_permit in _distinct(changed_permits_3):
            if self._breaks_rule_7_p(one_permit):
                return self._take_back(RULES[6])
        for one_permit in _distinct([*changed_permits, *changed_permits_3]):
            if self._breaks_rule_7_p_again(one_permit):
                return self._take_back(RULES[6])
        for one_inspection in _distinct(changed_inspections):
            if self._breaks_rule_8_i(one_inspection):
                return self._take_back(RULES[7])
        for one_inspection in _distinct(
            [
                *changed_inspections,
                *[
                    user
                    for one in [self.permits[one["permit_id"]] for one in changed_inspections]
                    for user in self._inspections_by_permit_result.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in changed_permits_3
                    for user in self._inspections_by_permit_result.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        for one_inspection in _distinct(changed_inspections):
            if self._breaks_rule_9_i(one_inspection):
                return self._take_back(RULES[8])
        for one_inspection in _distinct(
            [
                *changed_inspections,
                *[
                    user
                    for one in [self.officials[one["inspector_id"]] for one in changed_inspections]
                    for user in self._inspections_by_inspector.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_inspection):
                return self._take_back(RULES[9])
        for one_permit in _distinct([*changed_permits_2, *changed_permits_3]):
            if self._breaks_rule_11(one_permit):
                return self._take_back(RULES[10])
        for one_permit in _distinct(
            [*[self.permits[one["permit_id"]] for one in changed_inspections], *changed_permits, *changed_permits_3]
        ):
            if self._breaks_rule_12(one_permit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the {inspection['stage']} inspection at "
                f"{self.permits[inspection['permit_id']]['site']}."
            ),
            "data": self._changes(),
        }

    def stop_work(self, permit_id: str, reason: Text) -> Result:
        """Order that work on a site stops; a booked inspection is cancelled.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            reason (str): Why work on the site must stop.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] != "issued":
            return _refused(f"The project at {permit['site']} is {permit['status']}, so there is no work to stop.")
        self._journal = []
        changed_inspections: list[Any] = []
        for i in sorted(self._inspections_by_permit_result.get((permit_id, "booked"), {}).values(), key=_age):
            if i["result"] not in ("booked", "cancelled"):
                return self._take_back(f"Inspection {i['id']} cannot go from {i['result']} to cancelled.")
            changed_inspections.append(i)
            self._put("inspections", i, "result", "cancelled")
        self._put("permits", permit, "stopped_for", reason)
        self._put("permits", permit, "status", "stopped")
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_permit.get(permit["id"], {}).values()):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(permit):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_p(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(permit):
            return self._take_back(RULES[6])
        for one_inspection in _distinct(changed_inspections):
            if self._breaks_rule_8_i(one_inspection):
                return self._take_back(RULES[7])
        for one_inspection in _distinct(
            [
                *changed_inspections,
                *[
                    user
                    for one in [self.permits[one["permit_id"]] for one in changed_inspections]
                    for user in self._inspections_by_permit_result.get((one["id"], "booked"), {}).values()
                ],
                *self._inspections_by_permit_result.get((permit["id"], "booked"), {}).values(),
            ]
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        for one_inspection in _distinct(changed_inspections):
            if self._breaks_rule_9_i(one_inspection):
                return self._take_back(RULES[8])
        for one_inspection in _distinct(
            [
                *changed_inspections,
                *[
                    user
                    for one in [self.officials[one["inspector_id"]] for one in changed_inspections]
                    for user in self._inspections_by_inspector.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_inspection):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        for one_permit in _distinct([permit, *[self.permits[one["permit_id"]] for one in changed_inspections]]):
            if self._breaks_rule_12(one_permit):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: stop the work at {permit['site']} with the reason {reason}.",
            "data": self._changes(),
        }

    def lift_stop(self, permit_id: str) -> Result:
        """Lift the stop-work order of a site on which nothing is owed.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] != "stopped":
            return _refused(f"The project at {permit['site']} is {permit['status']}, not stopped.")
        if self._permit_due(permit) != 0:
            return _refused(f"{_money(self._permit_due(permit))} must be paid for {permit['site']} first.")
        self._journal = []
        self._put("permits", permit, "stopped_for", None)
        self._put("permits", permit, "status", "issued")
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_permit.get(permit["id"], {}).values()):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(permit):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_p(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(permit):
            return self._take_back(RULES[6])
        for one_inspection in _distinct(
            self._inspections_by_permit_result.get((permit["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(permit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: lift the stop-work order for {permit['site']}.",
            "data": self._changes(),
        }

    def close_permit(self, permit_id: str, withdrawn: bool = False) -> Result:
        """Close a project with a certificate of completion once every stage has passed, or note that an application
        was withdrawn before its permit was issued, which frees the site; fees that were not paid lapse then.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            withdrawn (bool): Whether the application was withdrawn, rather than the project being complete.
                Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if not (withdrawn or permit["status"] == "issued"):
            return _refused(f"The project at {permit['site']} is {permit['status']}.")
        if withdrawn and permit["status"] not in ("in_review", "returned", "cleared"):
            return _refused(
                f"The project at {permit['site']} is {permit['status']}, and only an application without a permit "
                "is withdrawn."
            )
        missing = self._permit_next_stage(permit)
        if not (withdrawn or missing is None):
            return _refused(f"The {missing} inspection at {permit['site']} has not passed yet.")
        if not (withdrawn or self._permit_due(permit) == 0):
            return _refused(f"{_money(self._permit_due(permit))} must be paid for {permit['site']} first.")
        self._journal = []
        status = "withdrawn" if withdrawn else "closed"
        if permit["status"] != status and (permit["status"], status) not in PERMIT_STATUS_MOVES:
            return self._take_back(f"Permit {permit['number']} cannot go from {permit['status']} to {status}.")
        self._put("permits", permit, "status", status)
        if self._breaks_rule_1(permit):
            return self._take_back(RULES[0])
        for one_review in _distinct(self._reviews_by_permit.get(permit["id"], {}).values()):
            if self._breaks_rule_3(one_review):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(permit):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_p(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p_again(permit):
            return self._take_back(RULES[6])
        for one_inspection in _distinct(
            self._inspections_by_permit_result.get((permit["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_8_i_again(one_inspection):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(permit):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: close the project at {permit['site']}.", "data": self._changes()}

    def _show_department(self, department: Department) -> dict[str, Any]:
        """The department as an answer shows it."""
        return {**department, "open_reviews": self._department_open_reviews(department)}

    def _show_owner(self, owner: Owner) -> dict[str, Any]:
        """The owner as an answer shows it."""
        return {**owner, "owes": self._owner_owes(owner)}

    def _show_kind(self, kind: Kind) -> dict[str, Any]:
        """The kind as an answer shows it."""
        return {**kind, "department_ids": [*kind["department_ids"]], "stages": [*kind["stages"]]}

    def _show_permit(self, permit: Permit) -> dict[str, Any]:
        """The permit as an answer shows it."""
        return {
            **permit,
            "permit_fee": self._permit_permit_fee(permit),
            "due": self._permit_due(permit),
            "next_stage": self._permit_next_stage(permit),
        }

    def _names_of_officials(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that officials point to."""
        return _names((self.departments, "name", [row["department_id"] for row in shown]))

    def _names_of_kinds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that kinds point to."""
        return _names((self.departments, "name", [each for row in shown for each in row["department_ids"]]))

    def _names_of_permits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that permits point to."""
        return _names(
            (self.kinds, "name", [row["kind_id"] for row in shown]),
            (self.owners, "name", [row["owner_id"] for row in shown]),
        )

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names(
            (self.permits, "number", [row["permit_id"] for row in shown]),
            (self.departments, "name", [row["department_id"] for row in shown]),
            (self.officials, "name", [row["decided_by_id"] for row in shown]),
        )

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names(
            (self.permits, "number", [row["permit_id"] for row in shown]),
            (self.officials, "name", [row["inspector_id"] for row in shown]),
        )

    def _department_open_reviews(self, department: Department) -> int:
        """The open reviews of a department."""
        return sum(
            1
            for r in self._reviews_by_department_verdict.get((department["id"], "open"), {}).values()
            if self.permits[r["permit_id"]]["status"] == "in_review"
        )

    def _owner_owes(self, owner: Owner) -> int:
        """The owes of an owner."""
        return sum(self._permit_due(p) for p in self._permits_by_owner.get(owner["id"], {}).values())

    def _permit_permit_fee(self, permit: Permit) -> int:
        """The permit fee of a permit."""
        return (
            self.kinds[permit["kind_id"]]["base_fee"]
            + _rounded(Fraction(permit["cost"] * self.kinds[permit["kind_id"]]["per_mille"], 1000))
        )

    def _permit_due(self, permit: Permit) -> int:
        """The due of a permit."""
        return (
            self._permit_permit_fee(permit) + permit["extra_fees"] - permit["paid"]
            if permit["status"] != "withdrawn"
            else permit["paid"] - permit["paid"]
        )

    def _permit_next_stage(self, permit: Permit) -> str | None:
        """The next stage of a permit."""
        return next(
            (
                s
                for s in self.kinds[permit["kind_id"]]["stages"]
                if not self._inspections_by_permit_stage_result.get((permit["id"], s, "passed"), {})
            ),
            None,
        )

    def _visits(self, o: Official, d: str) -> int:
        return sum(
            1
            for i in self._inspections_by_inspector.get(o["id"], {}).values()
            if i["on"] == d
            and i["result"] != "cancelled"
        )

    def _has_reviewed(self, o: Official, p: Permit) -> bool:
        return any(r["decided_by_id"] == o["id"] for r in self._reviews_by_permit.get(p["id"], {}).values())

    def _visit_of(self, p: Permit) -> Inspection | None:
        return next(
            (i for i in sorted(self._inspections_by_permit_result.get((p["id"], "booked"), {}).values(), key=_age)),
            None,
        )

    def _failures(self, p: Permit, s: Inspection) -> int:
        return len(self._inspections_by_permit_stage_result.get((p["id"], s["stage"], "failed"), {}))

    def _breaks_rule_1(self, p: Permit) -> bool:
        """Whether this is broken: a site has one project under way at a time."""
        return (
            p["status"] not in ("closed", "withdrawn")
            and any(
                other_p is not p
                for other_p in self._permits_by_site.get(p["site"], {}).values()
                if other_p["status"] not in ("closed", "withdrawn")
            )
        )

    def _breaks_rule_2_r(self, r: Review) -> bool:
        """Whether this is broken: each department that a kind of project concerns reviews it once, and no other
        department does.
        """
        return any(
            other_r is not r
            for other_r in self._reviews_by_permit_department.get((r["permit_id"], r["department_id"]), {}).values()
        )

    def _breaks_rule_2_r_again(self, r: Review) -> bool:
        """Whether this is broken: each department that a kind of project concerns reviews it once, and no other
        department does.
        """
        return r["department_id"] not in self.kinds[self.permits[r["permit_id"]]["kind_id"]]["department_ids"]

    def _breaks_rule_3(self, r: Review) -> bool:
        """Whether this is broken: a project is cleared only when every department agrees."""
        return (
            r["verdict"] != "agreed"
            and self.permits[r["permit_id"]]["status"] in ("cleared", "issued", "stopped", "closed")
        )

    def _breaks_rule_4(self, p: Permit) -> bool:
        """Whether this is broken: plans are returned when all departments have decided and one at least objects."""
        return (
            p["status"] == "returned"
            and not (
                not self._reviews_by_permit_verdict.get((p["id"], "open"), {})
                and any(r["verdict"] == "objected" for r in self._reviews_by_permit.get(p["id"], {}).values())
            )
        )

    def _breaks_rule_5_r(self, r: Review) -> bool:
        """Whether this is broken: a department's review is decided by one of its own officials, and an open one by
        nobody yet.
        """
        return (r["verdict"] == "open") != (r["decided_by_id"] is None)

    def _breaks_rule_5_r_again(self, r: Review) -> bool:
        """Whether this is broken: a department's review is decided by one of its own officials, and an open one by
        nobody yet.
        """
        return (
            r["decided_by_id"] is not None
            and self.officials[r["decided_by_id"]]["department_id"] != r["department_id"]
        )

    def _breaks_rule_6(self, r: Review) -> bool:
        """Whether this is broken: an objection says what must change."""
        return r["verdict"] == "objected" and r["comment"] is None

    def _breaks_rule_7_p(self, p: Permit) -> bool:
        """Whether this is broken: building starts only after the permit fee has been paid in full, and nobody pays
        more than is due.
        """
        return p["status"] in ("issued", "stopped", "closed") and p["paid"] < self._permit_permit_fee(p)

    def _breaks_rule_7_p_again(self, p: Permit) -> bool:
        """Whether this is broken: building starts only after the permit fee has been paid in full, and nobody pays
        more than is due.
        """
        return self._permit_due(p) < 0

    def _breaks_rule_8_i(self, i: Inspection) -> bool:
        """Whether this is broken: a project has one inspection booked at a time, for its next stage and with work
        allowed.
        """
        return (
            i["result"] == "booked"
            and any(
                other_i is not i
                for other_i in self._inspections_by_permit_result.get((i["permit_id"], "booked"), {}).values()
            )
        )

    def _breaks_rule_8_i_again(self, i: Inspection) -> bool:
        """Whether this is broken: a project has one inspection booked at a time, for its next stage and with work
        allowed.
        """
        return (
            i["result"] == "booked"
            and (
                i["stage"] != self._permit_next_stage(self.permits[i["permit_id"]])
                or self.permits[i["permit_id"]]["status"] != "issued"
            )
        )

    def _breaks_rule_9_i(self, i: Inspection) -> bool:
        """Whether this is broken: nobody inspects a project that they have reviewed."""
        return (
            i["result"] != "cancelled"
            and bool(self._reviews_by_permit_decided_by.get((i["permit_id"], i["inspector_id"]), {}))
        )

    def _breaks_rule_9_r(self, r: Review) -> bool:
        """Whether this is broken: nobody inspects a project that they have reviewed."""
        return any(
            i["result"] != "cancelled"
            for i in self._inspections_by_permit_inspector.get((r["permit_id"], r["decided_by_id"]), {}).values()
        )

    def _breaks_rule_10(self, i: Inspection) -> bool:
        """Whether this is broken: no inspector makes more visits on a day than they can."""
        return (
            i["result"] != "cancelled"
            and sum(
                1
                for j in self._inspections_by_inspector.get(i["inspector_id"], {}).values()
                if j["on"] == i["on"]
                and j["result"] != "cancelled"
            ) > self.officials[i["inspector_id"]]["visits_a_day"]
        )

    def _breaks_rule_11(self, p: Permit) -> bool:
        """Whether this is broken: a stopped site says why, and no other site is stopped."""
        return (p["status"] == "stopped") != (p["stopped_for"] is not None)

    def _breaks_rule_12(self, p: Permit) -> bool:
        """Whether this is broken: a project is closed when every stage has passed and nothing is owed."""
        return p["status"] == "closed" and (self._permit_next_stage(p) is not None or self._permit_due(p) != 0)

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
            case "permits":
                self._permits_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._permits_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._permits_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
                self._permits_by_site.setdefault(record["site"], {})[record["id"]] = record
            case "reviews":
                self._reviews_by_department_verdict.setdefault(
                    (record["department_id"], record["verdict"]),
                    {},
                )[record["id"]] = record
                self._reviews_by_permit.setdefault(record["permit_id"], {})[record["id"]] = record
                self._reviews_by_permit_decided_by.setdefault(
                    (record["permit_id"], record["decided_by_id"]),
                    {},
                )[record["id"]] = record
                self._reviews_by_permit_department.setdefault(
                    (record["permit_id"], record["department_id"]),
                    {},
                )[record["id"]] = record
                self._reviews_by_permit_verdict.setdefault(
                    (record["permit_id"], record["verdict"]),
                    {},
                )[record["id"]] = record
            case "inspections":
                self._inspections_by_inspector.setdefault(record["inspector_id"], {})[record["id"]] = record
                self._inspections_by_permit_inspector.setdefault(
                    (record["permit_id"], record["inspector_id"]),
                    {},
                )[record["id"]] = record
                self._inspections_by_permit_result.setdefault(
                    (record["permit_id"], record["result"]),
                    {},
                )[record["id"]] = record
                self._inspections_by_permit_stage_result.setdefault(
                    (record["permit_id"], record["stage"], record["result"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "permits":
                del self._permits_by_lower_number[record["number"].lower()][record["id"]]
                del self._permits_by_number[record["number"]][record["id"]]
                del self._permits_by_owner[record["owner_id"]][record["id"]]
                del self._permits_by_site[record["site"]][record["id"]]
            case "reviews":
                del self._reviews_by_department_verdict[record["department_id"], record["verdict"]][record["id"]]
                del self._reviews_by_permit[record["permit_id"]][record["id"]]
                del self._reviews_by_permit_decided_by[record["permit_id"], record["decided_by_id"]][record["id"]]
                del self._reviews_by_permit_department[record["permit_id"], record["department_id"]][record["id"]]
                del self._reviews_by_permit_verdict[record["permit_id"], record["verdict"]][record["id"]]
            case "inspections":
                del self._inspections_by_inspector[record["inspector_id"]][record["id"]]
                del self._inspections_by_permit_inspector[record["permit_id"], record["inspector_id"]][record["id"]]
                del self._inspections_by_permit_result[record["permit_id"], record["result"]][record["id"]]
                del self._inspections_by_permit_stage_result[
                    record["permit_id"],
                    record["stage"],
                    record["result"],
                ][record["id"]]
