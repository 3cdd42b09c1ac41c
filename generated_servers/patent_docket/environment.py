"""Patent docket. Compiled from blueprint.yaml; run `envscaler build patent_docket` after changing it there.

Keeps the docket of a patent firm, with families and divisionals, office actions whose deadlines can be extended
a few times, annuities with a period of grace, and assignments of whole lines.
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
    "A family has one application alive at an office, apart from divisionals.",
    "A divisional stays in the family, at the office and with the owner of its parent.",
    "A divisional is not older than its parent, and nothing descends from itself.",
    "A deadline is extended once in Europe and China, twice in Japan and three times in the United States.",
    "No action runs longer than six months, extensions included.",
    "An application has one open action at a time, and only while it is pending.",
    "An answered action says when, and others do not.",
    "An attorney never has more open actions than they can handle.",
    "Each annuity of an application is entered once, and one at most is unpaid.",
    "Annuities are owed for what is alive only.",
    "What is paid late costs half as much again.",
    "What was given up says when.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "file_application",
    "file_divisional",
    "note_action",
    "extend_deadline",
    "answer_action",
    "note_grant",
    "give_up",
    "reinstate",
    "pay_annuity",
    "assign_line",
    "hand_over",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "owners": ("name",),
    "attorneys": ("name",),
    "families": ("title",),
    "applications": ("number",),
    "office_actions": (),
    "annuities": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("annuities", "application_id"),
    ("applications", "attorney_id"),
    ("applications", "family_id"),
    ("applications", "number"),
    ("applications", "office"),
    ("applications", "parent_id"),
    ("office_actions", "application_id"),
    ("office_actions", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Owner(TypedDict):
    id: str
    name: str


class Attorney(TypedDict):
    id: str
    name: str
    most_open: int


class Family(TypedDict):
    id: str
    title: str
    priority_on: str


class Application(TypedDict):
    id: str
    number: str
    family_id: str
    office: Literal["EP", "US", "CN", "JP"]
    owner_id: str
    attorney_id: str
    parent_id: str | None
    filed_on: str
    ended_on: str | None
    status: Literal["pending", "granted", "given_up"]


class OfficeAction(TypedDict):
    id: str
    application_id: str
    kind: Literal["formal", "search", "examination", "final"]
    issued_on: str
    months: int
    extensions: int
    answered_on: str | None
    status: Literal["open", "answered", "dropped"]


class Annuity(TypedDict):
    id: str
    application_id: str
    year: int
    fee: int
    paid_on: str | None
    surcharge: int


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


class PatentDocket:
    """Keeps the docket of a patent firm, with families and divisionals, office actions whose deadlines can
    be extended a few times, annuities with a period of grace, and assignments of whole lines.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.owners: dict[str, Owner] = _copied(config.get("owners", {}))
        self.attorneys: dict[str, Attorney] = _copied(config.get("attorneys", {}))
        self.families: dict[str, Family] = _copied(config.get("families", {}))
        self.applications: dict[str, Application] = _copied(config.get("applications", {}))
        self.office_actions: dict[str, OfficeAction] = _copied(config.get("office_actions", {}))
        self.annuities: dict[str, Annuity] = _copied(config.get("annuities", {}))
        self.now: str = config.get("now", "2026-07-06T09:20")
        self.counters: dict[str, int] = {
            "owner": len(self.owners),
            "attorney": len(self.attorneys),
            "family": len(self.families),
            "application": len(self.applications),
            "office_action": len(self.office_actions),
            "annuity": len(self.annuities),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._applications_by_attorney: dict[Any, dict[str, Application]] = {}
        self._applications_by_family_office: dict[Any, dict[str, Application]] = {}
        self._applications_by_lower_number: dict[Any, dict[str, Application]] = {}
        self._applications_by_number: dict[Any, dict[str, Application]] = {}
        self._applications_by_parent: dict[Any, dict[str, Application]] = {}
        self._office_actions_by_application_status: dict[Any, dict[str, OfficeAction]] = {}
        self._office_actions_by_status: dict[Any, dict[str, OfficeAction]] = {}
        self._annuities_by_application: dict[Any, dict[str, Annuity]] = {}
        for application in self.applications.values():
            self._link("applications", application)
        for office_action in self.office_actions.values():
            self._link("office_actions", office_action)
        for annuity in self.annuities.values():
            self._link("annuities", annuity)

    def deadlines(
        self,
        attorney_id: str | None = None,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open actions by the day they are due, with the extensions that are left.

        Args:
            attorney_id (str, optional): Attorney who has the applications; an id such as ATTORNEY-00001. If left
                out, the actions of all attorneys are listed.
            until (str, optional): Latest due day of the actions that are listed, as YYYY-MM-DD. If left out, it
                does not narrow the list.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "office_actions": records}} or {"success": False,
                "error": why not}
        """
        attorney = self.attorneys.get(attorney_id) if attorney_id is not None else None
        if attorney_id is not None and attorney is None:
            return _refused(f"There is no attorney {attorney_id!r}.")
        found = [
            x
            for x in self._office_actions_by_status.get("open", {}).values()
            if (attorney_id is None or self.applications[x["application_id"]]["attorney_id"] == attorney_id)
            and (until is None or self._office_action_due_on(x) <= until)
        ]
        found.sort(
            key=lambda x: (self._office_action_due_on(x), self.applications[x["application_id"]]["number"], _age(x))
        )
        return _found(
            {
                "total": len(found),
                "office_actions": [
                    {
                        "id": x["id"],
                        "application": self.applications[x["application_id"]]["number"],
                        "kind": x["kind"],
                        "due_on": self._office_action_due_on(x),
                        "extensions_left": self._stretches(x),
                        "attorney": self.attorneys[self.applications[x["application_id"]]["attorney_id"]]["name"],
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def annuities_due(
        self,
        until: Date,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Unpaid annuities due by a day, the earliest first.

        Args:
            until (str): Latest due day of the annuities that are listed, overdue ones included, as YYYY-MM-DD.
            owner_id (str, optional): Owner of the applications; an id such as OWNER-00001. If left out, the
                annuities of all owners are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "annuities": records}} or {"success": False, "error":
                why not}
        """
        owner = self.owners.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no owner {owner_id!r}.")
        found = [
            n
            for n in self.annuities.values()
            if (n["paid_on"] is None and self._annuity_due_on(n) <= until)
            and (owner_id is None or self.applications[n["application_id"]]["owner_id"] == owner_id)
        ]
        found.sort(key=lambda n: (self._annuity_due_on(n), self.applications[n["application_id"]]["number"], _age(n)))
        return _found(
            {
                "total": len(found),
                "annuities": [
                    {
                        "id": n["id"],
                        "application": self.applications[n["application_id"]]["number"],
                        "owner": self.owners[self.applications[n["application_id"]]["owner_id"]]["name"],
                        "year": n["year"],
                        "fee": n["fee"],
                        "due_on": self._annuity_due_on(n),
                    }
                    for n in _page(found, offset)
                ],
            }
        )

    def line_of(self, application_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """An application with its parents and divisionals.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}} or {"success": False, "error":
                why not}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        found = [a for a in self._line(application)]
        shown = [
            {
                "id": a["id"],
                "number": a["number"],
                "parent": a["parent_id"],
                "owner": self.owners[a["owner_id"]]["name"],
                "status": a["status"],
            }
            for a in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "applications": shown},
            _names((self.applications, "number", [row["parent"] for row in shown])),
        )

    def loads(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Attorneys by how many more open actions they could take.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "attorneys": records}} or {"success": False, "error":
                why not}
        """
        found = [t for t in self.attorneys.values()]
        found.sort(key=lambda t: (-(t["most_open"] - self._attorney_load(t)), t["name"], _age(t)))
        return _found(
            {
                "total": len(found),
                "attorneys": [
                    {
                        "id": t["id"],
                        "name": t["name"],
                        "open_actions": self._attorney_load(t),
                        "room": t["most_open"] - self._attorney_load(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

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
        return _found({"total": len(found), "owners": [{**owner} for owner in _page(found, offset)]})

    def list_attorneys(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the attorneys, oldest first, all of them or only some.

        Args:
            name (str, optional): Only attorneys whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "attorneys": records}}
        """
        found = [
            attorney
            for attorney in self.attorneys.values()
            if (name is None or name.casefold() in attorney["name"].casefold())
        ]
        return _found(
            {"total": len(found), "attorneys": [self._show_attorney(attorney) for attorney in _page(found, offset)]}
        )

    def list_families(
        self,
        title: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the families, oldest first, all of them or only some.

        Args:
            title (str, optional): Only families whose title contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "families": records}}
        """
        found = [
            family
            for family in self.families.values()
            if (title is None or title.casefold() in family["title"].casefold())
        ]
        return _found({"total": len(found), "families": [{**family} for family in _page(found, offset)]})

    def list_applications(
        self,
        number: Text | None = None,
        family_id: str | None = None,
        office: Literal["EP", "US", "CN", "JP"] | None = None,
        owner_id: str | None = None,
        attorney_id: str | None = None,
        parent_id: str | None = None,
        status: Literal["pending", "granted", "given_up"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applications, oldest first, all of them or only some.

        Args:
            number (str, optional): Only applications whose number contains this text.
            family_id (str, optional): Only applications of this family.
            office (str, optional): Only applications with this office.
            owner_id (str, optional): Only applications of this owner.
            attorney_id (str, optional): Only applications of this attorney.
            parent_id (str, optional): Only applications whose parent is this application.
            status (str, optional): Only applications with this status.
            filed_on_from (str, optional): Only applications whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only applications whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}}
        """
        if family_id is not None and family_id not in self.families:
            return _refused(f"There is no family {family_id!r}.")
        if owner_id is not None and owner_id not in self.owners:
            return _refused(f"There is no owner {owner_id!r}.")
        if attorney_id is not None and attorney_id not in self.attorneys:
            return _refused(f"There is no attorney {attorney_id!r}.")
        if parent_id is not None and parent_id not in self.applications:
            return _refused(f"There is no application {parent_id!r}.")
        found = [
            application
            for application in self.applications.values()
            if (number is None or number.casefold() in application["number"].casefold())
            and (family_id is None or application["family_id"] == family_id)
            and (office is None or application["office"] == office)
            and (owner_id is None or application["owner_id"] == owner_id)
            and (attorney_id is None or application["attorney_id"] == attorney_id)
            and (parent_id is None or application["parent_id"] == parent_id)
            and (status is None or application["status"] == status)
            and (filed_on_from is None or application["filed_on"] >= filed_on_from)
            and (filed_on_to is None or application["filed_on"] <= filed_on_to)
        ]
        shown = [self._show_application(application) for application in _page(found, offset)]
        return _found({"total": len(found), "applications": shown}, self._names_of_applications(shown))

    def list_office_actions(
        self,
        application_id: str | None = None,
        kind: Literal["formal", "search", "examination", "final"] | None = None,
        status: Literal["open", "answered", "dropped"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the office actions, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only office actions of this application.
            kind (str, optional): Only office actions with this kind.
            status (str, optional): Only office actions with this status.
            issued_on_from (str, optional): Only office actions whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only office actions whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "office_actions": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        found = [
            office_action
            for office_action in self.office_actions.values()
            if (application_id is None or office_action["application_id"] == application_id)
            and (kind is None or office_action["kind"] == kind)
            and (status is None or office_action["status"] == status)
            and (issued_on_from is None or office_action["issued_on"] >= issued_on_from)
            and (issued_on_to is None or office_action["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_office_action(office_action) for office_action in _page(found, offset)]
        return _found({"total": len(found), "office_actions": shown}, self._names_of_office_actions(shown))

    def list_annuities(
        self,
        application_id: str | None = None,
        paid_on_from: Date | None = None,
        paid_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the annuities, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only annuities of this application.
            paid_on_from (str, optional): Only annuities whose `paid_on` is on this day or later.
            paid_on_to (str, optional): Only annuities whose `paid_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "annuities": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        found = [
            annuity
            for annuity in self.annuities.values()
            if (application_id is None or annuity["application_id"] == application_id)
            and (paid_on_from is None or (annuity["paid_on"] is not None and annuity["paid_on"] >= paid_on_from))
            and (paid_on_to is None or (annuity["paid_on"] is not None and annuity["paid_on"] <= paid_on_to))
        ]
        shown = [self._show_annuity(annuity) for annuity in _page(found, offset)]
        return _found({"total": len(found), "annuities": shown}, self._names_of_annuities(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def file_application(
        self,
        family_id: str,
        office: Literal["EP", "US", "CN", "JP"],
        number: Text,
        owner_id: str,
        attorney_id: str,
    ) -> Result:
        """File an application of a family at another office, within twelve months of the priority date.

        Args:
            family_id (str): Id of the family, such as FAMILY-00001.
            office (str): Patent office where it is filed, by its usual two letters: EP, US, CN or JP.
            number (str): Number of the new application, not in use yet.
            owner_id (str): Id of the owner, such as OWNER-00001.
            attorney_id (str): Id of the attorney, such as ATTORNEY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        family = self.families.get(family_id)
        if family is None:
            return _refused(f"There is no family {family_id!r}.")
        owner = self.owners.get(owner_id)
        if owner is None:
            return _refused(f"There is no owner {owner_id!r}.")
        attorney = self.attorneys.get(attorney_id)
        if attorney is None:
            return _refused(f"There is no attorney {attorney_id!r}.")
        if self.now[:10] > _add_months(family["priority_on"], 12):
            return _refused(f"The priority of {family['title']} ran out on {_add_months(family['priority_on'], 12)}.")
        if any(
            a["parent_id"] is None
            for a in self._applications_by_family_office.get((family_id, office), {}).values()
            if self._alive(a)
        ):
            return _refused(f"{family['title']} has an application at that office.")
        if self._applications_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is an application {number} already.")
        self._journal = []
        application: Application = {
            "id": self._new_id("application", "APPLICATION", self.applications),
            "number": number,
            "family_id": family_id,
            "office": office,
            "owner_id": owner_id,
            "attorney_id": attorney_id,
            "parent_id": None,
            "filed_on": self.now[:10],
            "ended_on": None,
            "status": "pending",
        }
        self._add("applications", application)
        if len(self._applications_by_number.get(application["number"], {})) > 1:
            return self._take_back(f"There is already an application with the number {application['number']!r}.")
        if self._breaks_rule_1(application):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(application):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(application):
            return self._take_back(RULES[2])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: file {number} of {family['title']} at the office {office} (new: application "
                f"{application['id']})."
            ),
            "data": {"application_id": application["id"], **self._changes()},
        }

    def file_divisional(self, parent_id: str, number: Text) -> Result:
        """File a divisional of a pending application; it has the same owner and attorney.

        Args:
            parent_id (str): Pending application out of which the divisional is filed; an id such as
                APPLICATION-00001.
            number (str): Number of the new divisional, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parent = self.applications.get(parent_id)
        if parent is None:
            return _refused(f"There is no application {parent_id!r}.")
        if parent["status"] != "pending":
            return _refused(f"{parent['number']} is {parent['status']}; divisionals come from pending applications.")
        if len(_above(self.applications, parent, "parent_id")) >= 3:
            return _refused(f"{parent['number']} is a divisional of the third generation.")
        if self._applications_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is an application {number} already.")
        done = f"file the divisional {number} of {parent['number']}"
        self._journal = []
        application: Application = {
            "id": self._new_id("application", "APPLICATION", self.applications),
            "number": number,
            "family_id": parent["family_id"],
            "office": parent["office"],
            "owner_id": parent["owner_id"],
            "attorney_id": parent["attorney_id"],
            "parent_id": parent_id,
            "filed_on": self.now[:10],
            "ended_on": None,
            "status": "pending",
        }
        self._add("applications", application)
        if len(self._applications_by_number.get(application["number"], {})) > 1:
            return self._take_back(f"There is already an application with the number {application['number']!r}.")
        if self._breaks_rule_1(application):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(application):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(application):
            return self._take_back(RULES[2])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: application {application['id']}).",
            "data": {"application_id": application["id"], **self._changes()},
        }

    def note_action(
        self,
        application_id: str,
        kind: Literal["formal", "search", "examination", "final"],
        issued_on: Date,
        months: Annotated[int, {"minimum": 1, "maximum": 6}],
    ) -> Result:
        """Note an action of an office on a pending application, with its months for an answer.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            kind (str): Sort of action that the office has taken: formal, search, examination or final.
            issued_on (str): Day on which the office issued it, within the last thirty days, as YYYY-MM-DD.
            months (int): How many months from that day the office gives for an answer, from 1 to 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "pending":
            return _refused(f"{application['number']} is {application['status']}.")
        if self._application_open_action(application) is not None:
            return _refused(f"{application['number']} has an open action; answer it first.")
        if _plus_days(self.now[:10], -30) > issued_on or issued_on > self.now[:10]:
            return _refused("The action was issued within the last thirty days.")
        if self._attorney_load(
            self.attorneys[application["attorney_id"]]
        ) >= self.attorneys[application["attorney_id"]]["most_open"]:
            return _refused(
                f"{self.attorneys[application['attorney_id']]['name']} has "
                f"{self._attorney_load(self.attorneys[application['attorney_id']])} open actions and can take no "
                "more; hand the application over first."
            )
        self._journal = []
        office_action: OfficeAction = {
            "id": self._new_id("office_action", "OA", self.office_actions),
            "application_id": application_id,
            "kind": kind,
            "issued_on": issued_on,
            "months": months,
            "extensions": 0,
            "answered_on": None,
            "status": "open",
        }
        self._add("office_actions", office_action)
        if self._breaks_rule_4(office_action):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(office_action):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_x(office_action):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_x_again(office_action):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(office_action):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.attorneys[self.applications[office_action["application_id"]]["attorney_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: note the {kind} action on {application['number']} (new: office action {office_action['id']})."
            ),
            "data": {"office_action_id": office_action["id"], **self._changes()},
        }

    def extend_deadline(self, action_id: str) -> Result:
        """Extend the deadline of an open action by a month, as often as the office allows and to six months in all at
        most.

        Args:
            action_id (str): Open office action that gets a month more; an id such as OA-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        action = self.office_actions.get(action_id)
        if action is None:
            return _refused(f"There is no office action {action_id!r}.")
        if action["status"] != "open":
            return _refused(f"The action is {action['status']}.")
        if self.now[:10] > self._office_action_due_on(action):
            return _refused(f"The action was due on {self._office_action_due_on(action)}.")
        if action["extensions"] >= self._limit(self.applications[action["application_id"]]["office"]):
            return _refused(
                f"The office {self.applications[action['application_id']]['office']} allows "
                f"{self._limit(self.applications[action['application_id']]['office'])} extensions."
            )
        if action["months"] + action["extensions"] >= 6:
            return _refused(
                f"The action was issued on {action['issued_on']}, and no office waits longer than six months for "
                "an answer."
            )
        self._journal = []
        extensions = action["extensions"] + 1
        if not 0 <= extensions <= 3:
            return self._take_back(f"The extensions of {action['id']} must be between 0 and 3.")
        self._put("office_actions", action, "extensions", extensions)
        if self._breaks_rule_4(action):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(action):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: extend the deadline of the {action['kind']} action on "
                f"{self.applications[action['application_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def answer_action(self, action_id: str) -> Result:
        """Answer an open action in time.

        Args:
            action_id (str): Open office action that was answered, its deadline not being over; an id such as
                OA-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        action = self.office_actions.get(action_id)
        if action is None:
            return _refused(f"There is no office action {action_id!r}.")
        if action["status"] != "open":
            return _refused(f"The action is {action['status']}.")
        if self.now[:10] > self._office_action_due_on(action):
            return _refused(
                f"The action was due on {self._office_action_due_on(action)}; only a reinstatement helps once the "
                "application is given up."
            )
        self._journal = []
        self._put("office_actions", action, "answered_on", self.now[:10])
        self._put("office_actions", action, "status", "answered")
        if self._breaks_rule_6_x(action):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_x_again(action):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(action):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.attorneys[self.applications[action["application_id"]]["attorney_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: answer the {action['kind']} action on "
                f"{self.applications[action['application_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def note_grant(self, application_id: str, fee: Annotated[int, {"minimum": 5000, "maximum": 400000}]) -> Result:
        """Note the grant of an application that has no open action; its first unpaid annuity is entered, counted from
        the filing of the first in its line.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            fee (int): Fee of the annuity that is entered with the grant, in cents, from 5000 to 400000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "pending":
            return _refused(f"{application['number']} is {application['status']}.")
        if self._application_open_action(application) is not None:
            return _refused(f"{application['number']} has an open action.")
        past = (
            max((n["year"] for n in self._annuities_by_application.get(application_id, {}).values()), default=None)
            if max(
                (n["year"] for n in self._annuities_by_application.get(application_id, {}).values()),
                default=None,
            ) is not None
            else 2
        )
        if self._unpaid(application) is None and past >= 20:
            return _refused(f"{application['number']} has all its annuities.")
        self._journal = []
        added_annuities: list[Any] = []
        self._put("applications", application, "status", "granted")
        if self._unpaid(application) is None:
            year = max(past + 1, _years(self._application_counted_from(application), self.now[:10]) + 2)
            if not 3 <= year <= 20:
                return self._take_back("The year of an annuity must be between 3 and 20.")
            annuity = {
                "id": self._new_id("annuity", "ANNUITY", self.annuities),
                "application_id": application_id,
                "year": year,
                "fee": fee,
                "paid_on": None,
                "surcharge": 0,
            }
            self._add("annuities", annuity)
            added_annuities.append(annuity)
        if self._breaks_rule_1(application):
            return self._take_back(RULES[0])
        for one_office_action in _distinct(
            self._office_actions_by_application_status.get((application["id"], "open"), {}).values()
        ):
            if self._breaks_rule_6_x_again(one_office_action):
                return self._take_back(RULES[5])
        for one_annuity in _distinct(added_annuities):
            if self._breaks_rule_9_n(one_annuity):
                return self._take_back(RULES[8])
        for one_annuity in _distinct(added_annuities):
            if self._breaks_rule_9_n_again(one_annuity):
                return self._take_back(RULES[8])
        for one_annuity in _distinct(
            [*self._annuities_by_application.get(application["id"], {}).values(), *added_annuities]
        ):
            if self._breaks_rule_10(one_annuity):
                return self._take_back(RULES[9])
        for one_annuity in _distinct(added_annuities):
            if self._breaks_rule_11(one_annuity):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note the grant of {application['number']}.",
            "data": self._changes(),
        }

    def give_up(self, application_id: str) -> Result:
        """Give an application or patent up; its open action is dropped and its unpaid annuity struck.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if not self._alive(application):
            return _refused(f"{application['number']} was given up already.")
        self._journal = []
        changed_office_actions: list[Any] = []
        deleted_annuities: list[Any] = []
        for x in sorted(
            self._office_actions_by_application_status.get((application_id, "open"), {}).values(),
            key=_age,
        ):
            if x["status"] not in ("open", "dropped"):
                return self._take_back(f"Office action {x['id']} cannot go from {x['status']} to dropped.")
            changed_office_actions.append(x)
            self._put("office_actions", x, "status", "dropped")
        for n in [
            n
            for n in sorted(self._annuities_by_application.get(application_id, {}).values(), key=_age)
            if n["paid_on"] is None
        ]:
            if n["id"] in self.annuities:
                self._remove("annuities", n)
            deleted_annuities.append(n)
        self._put("applications", application, "ended_on", self.now[:10])
        self._put("applications", application, "status", "given_up")
        if self._breaks_rule_1(application):
            return self._take_back(RULES[0])
        for one_office_action in _distinct(changed_office_actions):
            if self._breaks_rule_6_x(one_office_action):
                return self._take_back(RULES[5])
        for one_office_action in _distinct(
            [
                *changed_office_actions,
                *self._office_actions_by_application_status.get((application["id"], "open"), {}).values(),
            ]
        ):
            if self._breaks_rule_6_x_again(one_office_action):
                return self._take_back(RULES[5])
        for one_office_action in _distinct(changed_office_actions):
            if self._breaks_rule_7(one_office_action):
                return self._take_back(RULES[6])
        for one_attorney in _distinct(
            [
                self.attorneys[one["attorney_id"]]
                for one in [self.applications[one["application_id"]] for one in changed_office_actions]
            ]
        ):
            if self._breaks_rule_8(one_attorney):
                return self._take_back(RULES[7])
        for one_annuity in _distinct(self._annuities_by_application.get(application["id"], {}).values()):
            if one_annuity["id"] in self.annuities and self._breaks_rule_10(one_annuity):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: give {application['number']} up.", "data": self._changes()}

    def reinstate(self, application_id: str) -> Result:
        """Reinstate an application within two months after it was given up, answering the action that was dropped.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "given_up" or application["ended_on"] is None:
            return _refused(f"{application['number']} is {application['status']}.")
        if self.now[:10] > _plus_days(application["ended_on"], 61):
            return _refused(
                f"{application['number']} was given up on {application['ended_on']}, more than two months ago."
            )
        missed = min(
            self._office_actions_by_application_status.get((application_id, "dropped"), {}).values(),
            key=lambda x: (_descending(x["issued_on"]), _age(x)),
            default=None,
        )
        if missed is None:
            return _refused(f"{application['number']} has no dropped action that could be answered.")
        if not (
            application["parent_id"] is not None
            or not any(
                a["parent_id"] is None
                for a in self._applications_by_family_office.get(
                    (application["family_id"], application["office"]),
                    {},
                ).values()
                if a is not application
                and self._alive(a)
            )
        ):
            return _refused(
                f"{self.families[application['family_id']]['title']} has another application at that office."
            )
        self._journal = []
        self._put("office_actions", missed, "status", "answered")
        self._put("office_actions", missed, "answered_on", self.now[:10])
        self._put("applications", application, "ended_on", None)
        self._put("applications", application, "status", "pending")
        if self._breaks_rule_1(application):
            return self._take_back(RULES[0])
        if self._breaks_rule_6_x(missed):
            return self._take_back(RULES[5])
        for one_office_action in _distinct(
            [missed, *self._office_actions_by_application_status.get((application["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_6_x_again(one_office_action):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(missed):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.attorneys[self.applications[missed["application_id"]]["attorney_id"]]):
            return self._take_back(RULES[7])
        for one_annuity in _distinct(self._annuities_by_application.get(application["id"], {}).values()):
            if self._breaks_rule_10(one_annuity):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: reinstate {application['number']}.", "data": self._changes()}

    def pay_annuity(self, annuity_id: str) -> Result:
        """Pay an annuity from three months before it is due to six months after, then at half as much again; the next
        one is entered.

        Args:
            annuity_id (str): Id of the annuity, such as ANNUITY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        annuity = self.annuities.get(annuity_id)
        if annuity is None:
            return _refused(f"There is no annuity {annuity_id!r}.")
        if annuity["paid_on"] is not None:
            return _refused(f"The annuity was paid on {annuity['paid_on']}.")
        if self.now[:10] < _plus_days(self._annuity_due_on(annuity), -92):
            return _refused(
                f"Annuity {annuity['year']} of {self.applications[annuity['application_id']]['number']} is due on "
                f"{self._annuity_due_on(annuity)}; pay it from {_plus_days(self._annuity_due_on(annuity), -92)} on."
            )
        if self.now[:10] > _add_months(self._annuity_due_on(annuity), 6):
            return _refused(
                f"Annuity {annuity['year']} of {self.applications[annuity['application_id']]['number']} was due "
                f"on {self._annuity_due_on(annuity)}, more than six months ago."
            )
        done = f"pay annuity {annuity['year']} of {self.applications[annuity['application_id']]['number']}"
        self._journal = []
        changed_annuities: list[Any] = []
        added_annuities: list[Any] = []
        self._put("annuities", annuity, "paid_on", self.now[:10])
        if self.now[:10] > self._annuity_due_on(annuity):
            changed_annuities.append(annuity)
            self._put("annuities", annuity, "surcharge", _rounded(Fraction(annuity["fee"], 2)))
        if annuity["year"] < 20:
            year = annuity["year"] + 1
            if not 3 <= year <= 20:
                return self._take_back("The year of an annuity must be between 3 and 20.")
            fee = _rounded(Fraction(annuity["fee"] * 11, 10))
            if not 5000 <= fee <= 400000:
                return self._take_back("The fee of an annuity must be between 50.00 and 4,000.00.")
            new_annuity = {
                "id": self._new_id("annuity", "ANNUITY", self.annuities),
                "application_id": annuity["application_id"],
                "year": year,
                "fee": fee,
                "paid_on": None,
                "surcharge": 0,
            }
            self._add("annuities", new_annuity)
            added_annuities.append(new_annuity)
        for one_annuity in _distinct(added_annuities):
            if self._breaks_rule_9_n(one_annuity):
                return self._take_back(RULES[8])
        for one_annuity in _distinct([annuity, *added_annuities]):
            if self._breaks_rule_9_n_again(one_annuity):
                return self._take_back(RULES[8])
        for one_annuity in _distinct([annuity, *added_annuities]):
            if self._breaks_rule_10(one_annuity):
                return self._take_back(RULES[9])
        for one_annuity in _distinct([annuity, *changed_annuities, *added_annuities]):
            if self._breaks_rule_11(one_annuity):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def assign_line(self, application_id: str, owner_id: str) -> Result:
        """Record the assignment of an application with its parents and divisionals to another owner.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            owner_id (str): Id of the owner, such as OWNER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        owner = self.owners.get(owner_id)
        if owner is None:
            return _refused(f"There is no owner {owner_id!r}.")
        if application["owner_id"] == owner_id:
            return _refused(f"{application['number']} belongs to {owner['name']} already.")
        if not any(self._alive(a) for a in self._line(application)):
            return _refused(f"Nothing in the line of {application['number']} is alive.")
        self._journal = []
        changed_applications: list[Any] = []
        for a in [
            a
            for a in self.applications.values()
            if (
                a in self._line(application)
                or any(b in self._line(application) for b in _above(self.applications, a, "parent_id"))
            )
        ]:
            changed_applications.append(a)
            self._put("applications", a, "owner_id", owner_id)
        for one_application in _distinct(
            [
                *[
                    user
                    for one in changed_applications
                    for user in self._applications_by_parent.get(one["id"], {}).values()
                ],
                *changed_applications,
            ]
        ):
            if self._breaks_rule_2(one_application):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: assign {application['number']} and its line to {owner['name']}.",
            "data": self._changes(),
        }

    def hand_over(self, application_id: str, attorney_id: str) -> Result:
        """Hand an application over to another attorney.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            attorney_id (str): Id of the attorney, such as ATTORNEY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        attorney = self.attorneys.get(attorney_id)
        if attorney is None:
            return _refused(f"There is no attorney {attorney_id!r}.")
        if not self._alive(application):
            return _refused(f"{application['number']} was given up.")
        if application["attorney_id"] == attorney_id:
            return _refused(f"{attorney['name']} has {application['number']} already.")
        if (
            self._application_open_action(application) is not None
            and self._attorney_load(attorney) >= attorney["most_open"]
        ):
            return _refused(
                f"{attorney['name']} has {self._attorney_load(attorney)} open actions and can take no more."
            )
        self._journal = []
        former_attorney_id = application["attorney_id"]
        self._put("applications", application, "attorney_id", attorney_id)
        if self._breaks_rule_8(self.attorneys[application["attorney_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(self.attorneys[former_attorney_id]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: hand {application['number']} over to {attorney['name']}.",
            "data": self._changes(),
        }

    def _show_attorney(self, attorney: Attorney) -> dict[str, Any]:
        """The attorney as an answer shows it."""
        return {**attorney, "load": self._attorney_load(attorney)}

    def _show_application(self, application: Application) -> dict[str, Any]:
        """The application as an answer shows it."""
        return {
            **application,
            "counted_from": self._application_counted_from(application),
            "open_action_id": _id_of(self._application_open_action(application)),
        }

    def _show_office_action(self, office_action: OfficeAction) -> dict[str, Any]:
        """The office action as an answer shows it."""
        return {**office_action, "due_on": self._office_action_due_on(office_action)}

    def _show_annuity(self, annuity: Annuity) -> dict[str, Any]:
        """The annuity as an answer shows it."""
        return {**annuity, "due_on": self._annuity_due_on(annuity)}

    def _names_of_applications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that applications point to."""
        return _names(
            (self.families, "title", [row["family_id"] for row in shown]),
            (self.owners, "name", [row["owner_id"] for row in shown]),
            (self.attorneys, "name", [row["attorney_id"] for row in shown]),
            (self.applications, "number", [row["parent_id"] for row in shown]),
        )

    def _names_of_office_actions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that office actions point to."""
        return _names((self.applications, "number", [row["application_id"] for row in shown]))

    def _names_of_annuities(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that annuities point to."""
        return _names((self.applications, "number", [row["application_id"] for row in shown]))

    def _attorney_load(self, attorney: Attorney) -> int:
        """The load of an attorney."""
        return len(
            [
                a
                for _application in self._applications_by_attorney.get(attorney["id"], {}).values()
                for a in self._office_actions_by_application_status.get((_application["id"], "open"), {}).values()
            ]
        )

    def _application_counted_from(self, application: Application) -> str:
        """The counted from of an application."""
        return (
            min(
                (b["filed_on"] for b in [application] + _above(self.applications, application, "parent_id")),
                default=None,
            )
            if min(
                (b["filed_on"] for b in [application] + _above(self.applications, application, "parent_id")),
                default=None,
            ) is not None
            else application["filed_on"]
        )

    def _application_open_action(self, application: Application) -> OfficeAction | None:
        """The open action of an application."""
        return next(
            (
                a
                for a in sorted(
                    self._office_actions_by_application_status.get((application["id"], "open"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _office_action_due_on(self, office_action: OfficeAction) -> str:
        """The due on of an office action."""
        return _add_months(office_action["issued_on"], office_action["months"] + office_action["extensions"])

    def _annuity_due_on(self, annuity: Annuity) -> str:
        """The due on of an annuity."""
        return _add_months(
            self._application_counted_from(self.applications[annuity["application_id"]]),
            (annuity["year"] - 1) * 12,
        )

    def _limit(self, office: str) -> int:
        return 3 if office == "US" else 2 if office == "JP" else 1

    def _stretches(self, x: OfficeAction) -> int:
        return max(
            0,
            min(
                self._limit(self.applications[x["application_id"]]["office"]) - x["extensions"],
                6 - x["months"] - x["extensions"],
            ),
        )

    def _alive(self, a: Application) -> bool:
        return a["status"] in ("pending", "granted")

    def _line(self, a: Application) -> list[Application]:
        return [a] + _above(self.applications, a, "parent_id") + _below(self._applications_by_parent, a)

    def _unpaid(self, a: Application) -> Annuity | None:
        return next(
            (
                n
                for n in sorted(self._annuities_by_application.get(a["id"], {}).values(), key=_age)
                if n["paid_on"] is None
            ),
            None,
        )

    def _breaks_rule_1(self, a: Application) -> bool:
        """Whether this is broken: a family has one application alive at an office, apart from divisionals."""
        return (
            self._alive(a)
            and a["parent_id"] is None
            and any(
                other_a is not a
                for other_a in self._applications_by_family_office.get((a["family_id"], a["office"]), {}).values()
                if self._alive(other_a)
                and other_a["parent_id"] is None
            )
        )

    def _breaks_rule_2(self, a: Application) -> bool:
        """Whether this is broken: a divisional stays in the family, at the office and with the owner of its parent.
        """
        return not (
            a["parent_id"] is None
            or self.applications[a["parent_id"]]["family_id"] == a["family_id"]
            and self.applications[a["parent_id"]]["office"] == a["office"]
            and self.applications[a["parent_id"]]["owner_id"] == a["owner_id"]
        )

    def _breaks_rule_3(self, a: Application) -> bool:
        """Whether this is broken: a divisional is not older than its parent, and nothing descends from itself."""
        return not (
            a not in _above(self.applications, a, "parent_id")
            and (a["parent_id"] is None or self.applications[a["parent_id"]]["filed_on"] <= a["filed_on"])
        )

    def _breaks_rule_4(self, x: OfficeAction) -> bool:
        """Whether this is broken: a deadline is extended once in Europe and China, twice in Japan and three times in
        the United States.
        """
        return x["extensions"] > self._limit(self.applications[x["application_id"]]["office"])

    def _breaks_rule_5(self, x: OfficeAction) -> bool:
        """Whether this is broken: no action runs longer than six months, extensions included."""
        return x["months"] + x["extensions"] > 6

    def _breaks_rule_6_x(self, x: OfficeAction) -> bool:
        """Whether this is broken: an application has one open action at a time, and only while it is pending."""
        return (
            x["status"] == "open"
            and any(
                other_x is not x
                for other_x in self._office_actions_by_application_status.get(
                    (x["application_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_6_x_again(self, x: OfficeAction) -> bool:
        """Whether this is broken: an application has one open action at a time, and only while it is pending."""
        return x["status"] == "open" and self.applications[x["application_id"]]["status"] != "pending"

    def _breaks_rule_7(self, x: OfficeAction) -> bool:
        """Whether this is broken: an answered action says when, and others do not."""
        return (x["status"] == "answered") != (x["answered_on"] is not None)

    def _breaks_rule_8(self, t: Attorney) -> bool:
        """Whether this is broken: an attorney never has more open actions than they can handle."""
        return self._attorney_load(t) > t["most_open"]

    def _breaks_rule_9_n(self, n: Annuity) -> bool:
        """Whether this is broken: each annuity of an application is entered once, and one at most is unpaid."""
        return any(
            other_n is not n
            for other_n in self._annuities_by_application.get(n["application_id"], {}).values()
            if other_n["year"] == n["year"]
        )

    def _breaks_rule_9_n_again(self, n: Annuity) -> bool:
        """Whether this is broken: each annuity of an application is entered once, and one at most is unpaid."""
        return (
            n["paid_on"] is None
            and any(
                other_n is not n
                for other_n in self._annuities_by_application.get(n["application_id"], {}).values()
                if other_n["paid_on"] is None
            )
        )

    def _breaks_rule_10(self, n: Annuity) -> bool:
        """Whether this is broken: annuities are owed for what is alive only."""
        return not (n["paid_on"] is not None or self._alive(self.applications[n["application_id"]]))

    def _breaks_rule_11(self, n: Annuity) -> bool:
        """Whether this is broken: what is paid late costs half as much again."""
        return not (n["surcharge"] == 0 or n["paid_on"] is not None and n["paid_on"] > self._annuity_due_on(n))

    def _breaks_rule_12(self, a: Application) -> bool:
        """Whether this is broken: what was given up says when."""
        return (a["status"] == "given_up") != (a["ended_on"] is not None)

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
                self._applications_by_attorney.setdefault(record["attorney_id"], {})[record["id"]] = record
                self._applications_by_family_office.setdefault(
                    (record["family_id"], record["office"]),
                    {},
                )[record["id"]] = record
                self._applications_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._applications_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._applications_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "office_actions":
                self._office_actions_by_application_status.setdefault(
                    (record["application_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._office_actions_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "annuities":
                self._annuities_by_application.setdefault(record["application_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "applications":
                del self._applications_by_attorney[record["attorney_id"]][record["id"]]
                del self._applications_by_family_office[record["family_id"], record["office"]][record["id"]]
                del self._applications_by_lower_number[record["number"].lower()][record["id"]]
                del self._applications_by_number[record["number"]][record["id"]]
                del self._applications_by_parent[record["parent_id"]][record["id"]]
            case "office_actions":
                del self._office_actions_by_application_status[record["application_id"], record["status"]][record["id"]]
                del self._office_actions_by_status[record["status"]][record["id"]]
            case "annuities":
                del self._annuities_by_application[record["application_id"]][record["id"]]
