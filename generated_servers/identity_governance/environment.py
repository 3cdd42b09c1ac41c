"""Identity governance. Compiled from blueprint.yaml; run `envscaler build identity_governance` after changing it there.

Decides who may do what in a company's systems - roles that include roles, duties that must stay apart, requests
with two approvals, review campaigns and people who leave.
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
    "Nobody has two entitlements that must stay apart, unless a mitigation covers both.",
    "A person has a role once at a time.",
    "A person has one request for a role under way, and none for a role they have.",
    "Whoever has left has no roles, no requests under way, no staff and owns nothing.",
    "Nobody is their own manager, however far up.",
    "A critical role is given for a time only.",
    "A manager has agreed to every request that was agreed or granted, and nobody agrees to their own.",
    "A mitigation is signed by somebody else and covers two entitlements that must stay apart.",
    "A closed campaign leaves nothing undecided, and whoever decided was not the person reviewed.",
    "What a review removes has ended.",
    "A role has one open campaign at a time, which lists each grant once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_role",
    "approve_request",
    "refuse_request",
    "revoke_grant",
    "mitigate_clash",
    "end_mitigation",
    "add_to_role",
    "start_campaign",
    "decide_item",
    "close_campaign",
    "offboard_person",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "people": ("name",),
    "entitlements": ("name",),
    "roles": ("name",),
    "grants": (),
    "requests": (),
    "mitigations": (),
    "campaigns": ("name",),
    "items": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("campaigns", "name"),
    ("campaigns", "role_id"),
    ("campaigns", "status"),
    ("entitlements", "clash_ids"),
    ("grants", "person_id"),
    ("grants", "role_id"),
    ("items", "campaign_id"),
    ("items", "grant_id"),
    ("items", "verdict"),
    ("mitigations", "person_id"),
    ("people", "manager_id"),
    ("requests", "person_id"),
    ("requests", "role_id"),
    ("roles", "include_ids"),
    ("roles", "owner_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Person(TypedDict):
    id: str
    name: str
    department: Literal["finance", "procurement", "it", "sales", "warehouse"]
    manager_id: str | None
    left_on: str | None


class Entitlement(TypedDict):
    id: str
    name: str
    system: str
    clash_ids: list[str]


class Role(TypedDict):
    id: str
    name: str
    owner_id: str
    critical: bool
    entitlement_ids: list[str]
    include_ids: list[str]


class Grant(TypedDict):
    id: str
    person_id: str
    role_id: str
    since: str
    until: str | None
    ended_on: str | None


class Request(TypedDict):
    id: str
    person_id: str
    role_id: str
    reason: str
    asked_on: str
    until: str | None
    manager_by_id: str | None
    status: Literal["asked", "agreed", "refused", "granted"]


class Mitigation(TypedDict):
    id: str
    person_id: str
    one_id: str
    other_id: str
    by_id: str
    until: str
    ended_on: str | None


class Campaign(TypedDict):
    id: str
    name: str
    role_id: str
    due_on: str
    status: Literal["open", "closed"]


class Item(TypedDict):
    id: str
    campaign_id: str
    grant_id: str
    by_id: str | None
    verdict: Literal["keep", "remove"] | None


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


class IdentityGovernance:
    """Decides who may do what in a company's systems - roles that include roles, duties that must stay
    apart, requests with two approvals, review campaigns and people who leave.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.entitlements: dict[str, Entitlement] = _copied(config.get("entitlements", {}))
        self.roles: dict[str, Role] = _copied(config.get("roles", {}))
        self.grants: dict[str, Grant] = _copied(config.get("grants", {}))
        self.requests: dict[str, Request] = _copied(config.get("requests", {}))
        self.mitigations: dict[str, Mitigation] = _copied(config.get("mitigations", {}))
        self.campaigns: dict[str, Campaign] = _copied(config.get("campaigns", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.now: str = config.get("now", "2026-10-05T08:45")
        self.counters: dict[str, int] = {
            "person": len(self.people),
            "entitlement": len(self.entitlements),
            "role": len(self.roles),
            "grant": len(self.grants),
            "request": len(self.requests),
            "mitigation": len(self.mitigations),
            "campaign": len(self.campaigns),
            "item": len(self.items),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._people_by_manager: dict[Any, dict[str, Person]] = {}
        self._entitlements_by_clashes: dict[Any, dict[str, Entitlement]] = {}
        self._roles_by_includes: dict[Any, dict[str, Role]] = {}
        self._roles_by_owner: dict[Any, dict[str, Role]] = {}
        self._grants_by_person: dict[Any, dict[str, Grant]] = {}
        self._grants_by_person_role: dict[Any, dict[str, Grant]] = {}
        self._grants_by_role: dict[Any, dict[str, Grant]] = {}
        self._requests_by_person: dict[Any, dict[str, Request]] = {}
        self._requests_by_person_role: dict[Any, dict[str, Request]] = {}
        self._requests_by_role: dict[Any, dict[str, Request]] = {}
        self._mitigations_by_person: dict[Any, dict[str, Mitigation]] = {}
        self._campaigns_by_lower_name: dict[Any, dict[str, Campaign]] = {}
        self._campaigns_by_name: dict[Any, dict[str, Campaign]] = {}
        self._campaigns_by_role_status: dict[Any, dict[str, Campaign]] = {}
        self._items_by_campaign: dict[Any, dict[str, Item]] = {}
        self._items_by_campaign_grant: dict[Any, dict[str, Item]] = {}
        self._items_by_grant: dict[Any, dict[str, Item]] = {}
        self._items_by_grant_verdict: dict[Any, dict[str, Item]] = {}
        for person in self.people.values():
            self._link("people", person)
        for entitlement in self.entitlements.values():
            self._link("entitlements", entitlement)
        for role in self.roles.values():
            self._link("roles", role)
        for grant in self.grants.values():
            self._link("grants", grant)
        for request in self.requests.values():
            self._link("requests", request)
        for mitigation in self.mitigations.values():
            self._link("mitigations", mitigation)
        for campaign in self.campaigns.values():
            self._link("campaigns", campaign)
        for item in self.items.values():
            self._link("items", item)

    def clash_check(
        self,
        person_id: str,
        role_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The entitlements of a person that would have to stay apart from what a role gives, leaving out what is
        mitigated.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            role_id (str): Id of the role, such as ROLE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entitlements": records}} or {"success": False, "error":
                why not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        found = [
            f
            for f in _those(
                self.entitlements,
                [
                    *[
                        key
                        for g in self._grants_by_person.get(person_id, {}).values()
                        for key in self.roles[g["role_id"]]["entitlement_ids"]
                    ],
                    *[
                        item["id"]
                        for g in self._grants_by_person.get(person_id, {}).values()
                        for q in _above(self.roles, self.roles[g["role_id"]], "include_ids")
                        for item in [self.entitlements[key] for key in q["entitlement_ids"]]
                    ],
                ],
            )
            if self._has(person, f)
            and any(
                not self._running(person, e, f)
                for e in _those(
                    self.entitlements,
                    [
                        *role["entitlement_ids"],
                        *[key for q in _above(self.roles, role, "include_ids") for key in q["entitlement_ids"]],
                    ],
                )
                if self._gives(role, e)
                and self._toxic(e, f)
            )
        ]
        found.sort(key=lambda f: (f["name"], _age(f)))
        return _found(
            {
                "total": len(found),
                "entitlements": [
                    {
                        "id": f["id"],
                        "name": f["name"],
                        "system": f["system"],
                        "comes_with": [
                            *[
                                self.roles[g["role_id"]]["name"]
                                for g in sorted(self._grants_by_person.get(person_id, {}).values(), key=_age)
                                if g["ended_on"] is None
                                and self._gives(self.roles[g["role_id"]], f)
                            ]
                        ],
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def role_content(self, role_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Everything a role gives, itself and through the roles that it includes.

        Args:
            role_id (str): Id of the role, such as ROLE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entitlements": records}} or {"success": False, "error":
                why not}
        """
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        found = [
            e
            for e in _those(
                self.entitlements,
                [
                    *role["entitlement_ids"],
                    *[key for q in _above(self.roles, role, "include_ids") for key in q["entitlement_ids"]],
                ],
            )
            if self._gives(role, e)
        ]
        found.sort(key=lambda e: (e["name"], _age(e)))
        return _found(
            {
                "total": len(found),
                "entitlements": [
                    {
                        "id": e["id"],
                        "name": e["name"],
                        "direct": e["id"] in role["entitlement_ids"],
                        "must_stay_apart_from": [
                            *[
                                f["name"]
                                for f in sorted(
                                    _distinct(
                                        [
                                            *_those(self.entitlements, e["clash_ids"]),
                                            *self._entitlements_by_clashes.get(e["id"], {}).values(),
                                        ]
                                    ),
                                    key=_age,
                                )
                            ]
                        ],
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def to_approve(self, approver_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Requests that wait for somebody, as the manager or as the owner of the role, oldest first.

        Args:
            approver_id (str): Person for whom the requests wait; an id such as PERSON-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requests": records}} or {"success": False, "error": why
                not}
        """
        approver = self.people.get(approver_id)
        if approver is None:
            return _refused(f"There is no person {approver_id!r}.")
        found = [
            q
            for q in _distinct(
                [
                    *[
                        q
                        for _person in self._people_by_manager.get(approver_id, {}).values()
                        for q in self._requests_by_person.get(_person["id"], {}).values()
                    ],
                    *[
                        q
                        for _role in self._roles_by_owner.get(approver_id, {}).values()
                        for q in self._requests_by_role.get(_role["id"], {}).values()
                    ],
                ]
            )
            if (
                q["status"] == "asked"
                and self.people[q["person_id"]]["manager_id"] == approver_id
                or q["status"] == "agreed"
                and self.roles[q["role_id"]]["owner_id"] == approver_id
            )
        ]
        found.sort(key=lambda q: (q["asked_on"], q["id"], _age(q)))
        return _found(
            {
                "total": len(found),
                "requests": [
                    {
                        "id": q["id"],
                        "person": self.people[q["person_id"]]["name"],
                        "role": self.roles[q["role_id"]]["name"],
                        "asked_on": q["asked_on"],
                        "status": q["status"],
                    }
                    for q in _page(found, offset)
                ],
            }
        )

    def list_people(
        self,
        name: Text | None = None,
        department: Literal["finance", "procurement", "it", "sales", "warehouse"] | None = None,
        manager_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            department (str, optional): Only people with this department.
            manager_id (str, optional): Only people whose manager is this person.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        if manager_id is not None and manager_id not in self.people:
            return _refused(f"There is no person {manager_id!r}.")
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (department is None or person["department"] == department)
            and (manager_id is None or person["manager_id"] == manager_id)
        ]
        shown = [{**person} for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_entitlements(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entitlements, oldest first, all of them or only some.

        Args:
            name (str, optional): Only entitlements whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entitlements": records}}
        """
        found = [
            entitlement
            for entitlement in self.entitlements.values()
            if (name is None or name.casefold() in entitlement["name"].casefold())
        ]
        shown = [self._show_entitlement(entitlement) for entitlement in _page(found, offset)]
        return _found({"total": len(found), "entitlements": shown}, self._names_of_entitlements(shown))

    def list_roles(
        self,
        name: Text | None = None,
        owner_id: str | None = None,
        critical: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the roles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only roles whose name contains this text.
            owner_id (str, optional): Only roles whose owner is this person.
            critical (bool, optional): Only roles that are critical (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "roles": records}}
        """
        if owner_id is not None and owner_id not in self.people:
            return _refused(f"There is no person {owner_id!r}.")
        found = [
            role
            for role in self.roles.values()
            if (name is None or name.casefold() in role["name"].casefold())
            and (owner_id is None or role["owner_id"] == owner_id)
            and (critical is None or role["critical"] == critical)
        ]
        shown = [self._show_role(role) for role in _page(found, offset)]
        return _found({"total": len(found), "roles": shown}, self._names_of_roles(shown))

    def list_grants(
        self,
        person_id: str | None = None,
        role_id: str | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the grants, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only grants of this person.
            role_id (str, optional): Only grants of this role.
            since_from (str, optional): Only grants whose `since` is on this day or later.
            since_to (str, optional): Only grants whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "grants": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if role_id is not None and role_id not in self.roles:
            return _refused(f"There is no role {role_id!r}.")
        found = [
            grant
            for grant in self.grants.values()
            if (person_id is None or grant["person_id"] == person_id)
            and (role_id is None or grant["role_id"] == role_id)
            and (since_from is None or grant["since"] >= since_from)
            and (since_to is None or grant["since"] <= since_to)
        ]
        shown = [{**grant} for grant in _page(found, offset)]
        return _found({"total": len(found), "grants": shown}, self._names_of_grants(shown))

    def list_requests(
        self,
        person_id: str | None = None,
        role_id: str | None = None,
        manager_by_id: str | None = None,
        status: Literal["asked", "agreed", "refused", "granted"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requests, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only requests of this person.
            role_id (str, optional): Only requests of this role.
            manager_by_id (str, optional): Only requests manager by this person.
            status (str, optional): Only requests with this status.
            asked_on_from (str, optional): Only requests whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only requests whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requests": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if role_id is not None and role_id not in self.roles:
            return _refused(f"There is no role {role_id!r}.")
        if manager_by_id is not None and manager_by_id not in self.people:
            return _refused(f"There is no person {manager_by_id!r}.")
        found = [
            request
            for request in self.requests.values()
            if (person_id is None or request["person_id"] == person_id)
            and (role_id is None or request["role_id"] == role_id)
            and (manager_by_id is None or request["manager_by_id"] == manager_by_id)
            and (status is None or request["status"] == status)
            and (asked_on_from is None or request["asked_on"] >= asked_on_from)
            and (asked_on_to is None or request["asked_on"] <= asked_on_to)
        ]
        shown = [{**request} for request in _page(found, offset)]
        return _found({"total": len(found), "requests": shown}, self._names_of_requests(shown))

    def list_mitigations(
        self,
        person_id: str | None = None,
        one_id: str | None = None,
        other_id: str | None = None,
        by_id: str | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the mitigations, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only mitigations of this person.
            one_id (str, optional): Only mitigations whose one is this entitlement.
            other_id (str, optional): Only mitigations whose other is this entitlement.
            by_id (str, optional): Only mitigations by this person.
            until_from (str, optional): Only mitigations whose `until` is on this day or later.
            until_to (str, optional): Only mitigations whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "mitigations": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if one_id is not None and one_id not in self.entitlements:
            return _refused(f"There is no entitlement {one_id!r}.")
        if other_id is not None and other_id not in self.entitlements:
            return _refused(f"There is no entitlement {other_id!r}.")
        if by_id is not None and by_id not in self.people:
            return _refused(f"There is no person {by_id!r}.")
        found = [
            mitigation
            for mitigation in self.mitigations.values()
            if (person_id is None or mitigation["person_id"] == person_id)
            and (one_id is None or mitigation["one_id"] == one_id)
            and (other_id is None or mitigation["other_id"] == other_id)
            and (by_id is None or mitigation["by_id"] == by_id)
            and (until_from is None or mitigation["until"] >= until_from)
            and (until_to is None or mitigation["until"] <= until_to)
        ]
        shown = [{**mitigation} for mitigation in _page(found, offset)]
        return _found({"total": len(found), "mitigations": shown}, self._names_of_mitigations(shown))

    def list_campaigns(
        self,
        name: Text | None = None,
        role_id: str | None = None,
        status: Literal["open", "closed"] | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the campaigns, oldest first, all of them or only some.

        Args:
            name (str, optional): Only campaigns whose name contains this text.
            role_id (str, optional): Only campaigns of this role.
            status (str, optional): Only campaigns with this status.
            due_on_from (str, optional): Only campaigns whose `due_on` is on this day or later.
            due_on_to (str, optional): Only campaigns whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "campaigns": records}}
        """
        if role_id is not None and role_id not in self.roles:
            return _refused(f"There is no role {role_id!r}.")
        found = [
            campaign
            for campaign in self.campaigns.values()
            if (name is None or name.casefold() in campaign["name"].casefold())
            and (role_id is None or campaign["role_id"] == role_id)
            and (status is None or campaign["status"] == status)
            and (due_on_from is None or campaign["due_on"] >= due_on_from)
            and (due_on_to is None or campaign["due_on"] <= due_on_to)
        ]
        shown = [self._show_campaign(campaign) for campaign in _page(found, offset)]
        return _found({"total": len(found), "campaigns": shown}, self._names_of_campaigns(shown))

    def list_items(
        self,
        campaign_id: str | None = None,
        grant_id: str | None = None,
        by_id: str | None = None,
        verdict: Literal["keep", "remove"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            campaign_id (str, optional): Only items of this campaign.
            grant_id (str, optional): Only items of this grant.
            by_id (str, optional): Only items by this person.
            verdict (str, optional): Only items with this verdict.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if campaign_id is not None and campaign_id not in self.campaigns:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if grant_id is not None and grant_id not in self.grants:
            return _refused(f"There is no grant {grant_id!r}.")
        if by_id is not None and by_id not in self.people:
            return _refused(f"There is no person {by_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (campaign_id is None or item["campaign_id"] == campaign_id)
            and (grant_id is None or item["grant_id"] == grant_id)
            and (by_id is None or item["by_id"] == by_id)
            and (verdict is None or item["verdict"] == verdict)
        ]
        shown = [{**item} for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_role(self, person_id: str, role_id: str, reason: Text, until: Date | None = None) -> Result:
        """Request a role for a person; a critical one needs a last day.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            role_id (str): Id of the role, such as ROLE-00001.
            reason (str): Why the person needs the role.
            until (str, optional): Last day of the role, after today and needed where it is critical, as
                YYYY-MM-DD. If left out, the role has no last day.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        if person["left_on"] is not None:
            return _refused(f"{person['name']} left on {person['left_on']}.")
        if person["manager_id"] is None:
            return _refused(f"{person['name']} has no manager who could agree.")
        if person_id == role["owner_id"]:
            return _refused(f"{person['name']} owns {role['name']} and cannot have it.")
        if any(g["ended_on"] is None for g in self._grants_by_person_role.get((person_id, role_id), {}).values()):
            return _refused(f"{person['name']} has {role['name']} already.")
        if any(self._waiting(q) for q in self._requests_by_person_role.get((person_id, role_id), {}).values()):
            return _refused(f"A request of {person['name']} for {role['name']} is under way.")
        if role["critical"] and until is None:
            return _refused(f"{role['name']} is critical, so name a last day.")
        if not (until is None or self.now[:10] < until and until <= _plus_days(self.now[:10], 366)):
            return _refused(f"A role is given for a year at most, until {_plus_days(self.now[:10], 366)}.")
        self._journal = []
        request: Request = {
            "id": self._new_id("request", "REQUEST", self.requests),
            "person_id": person_id,
            "role_id": role_id,
            "reason": reason,
            "asked_on": self.now[:10],
            "until": until,
            "manager_by_id": None,
            "status": "asked",
        }
        self._add("requests", request)
        if self._breaks_rule_3_q(request):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q_again(request):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_q(request):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_q(request):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_q_again(request):
            return self._take_back(RULES[6])
        done = f"request {role['name']} for {person['name']}"
        if until is not None:
            done += f" until {until}"
        return {
            "success": True,
            "message": f"Done: {done} (new: request {request['id']}).",
            "data": {"request_id": request["id"], **self._changes()},
        }

    def approve_request(self, request_id: str, by_id: str) -> Result:
        """Approve a request, first as the person's manager, then as the owner of the role, which grants it.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.
            by_id (str): Person who approves now, the manager first and then the role's owner; an id such as
                PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if not self._waiting(request):
            return _refused(f"The request is {request['status']}.")
        if by_id == request["person_id"]:
            return _refused(f"{by['name']} cannot approve their own request.")
        if request["status"] == "asked" and by_id != self.people[request["person_id"]]["manager_id"]:
            return _refused(f"The manager of {self.people[request['person_id']]['name']} agrees first.")
        if request["status"] == "agreed" and by_id != self.roles[request["role_id"]]["owner_id"]:
            return _refused(
                f"{self.people[self.roles[request['role_id']]['owner_id']]['name']} owns "
                f"{self.roles[request['role_id']]['name']} and decides now."
            )
        if request["until"] is not None and request["until"] <= self.now[:10]:
            return _refused(f"The request was for a time until {request['until']}, which is over.")
        other = self._apart(self.people[request["person_id"]], self.roles[request["role_id"]])
        if request["status"] != "asked" and other is not None:
            return _refused(
                f"{self.people[request['person_id']]['name']} has {other['name']}, which must stay apart from "
                f"{self.roles[request['role_id']]['name']}; revoke or mitigate it first."
            )
        self._journal = []
        changed_requests: list[Any] = []
        changed_requests_2: list[Any] = []
        added_grants: list[Any] = []
        if request["status"] == "asked":
            changed_requests.append(request)
            self._put("requests", request, "manager_by_id", by_id)
            if request["status"] not in ("asked", "agreed"):
                return self._take_back(f"Request {request['id']} cannot go from {request['status']} to agreed.")
            changed_requests_2.append(request)
            self._put("requests", request, "status", "agreed")
        else:
            if request["status"] not in ("agreed", "granted"):
                return self._take_back(f"Request {request['id']} cannot go from {request['status']} to granted.")
            changed_requests_2.append(request)
            self._put("requests", request, "status", "granted")
            grant = {
                "id": self._new_id("grant", "GRANT", self.grants),
                "person_id": request["person_id"],
                "role_id": request["role_id"],
                "since": self.now[:10],
                "until": request["until"],
                "ended_on": None,
            }
            self._add("grants", grant)
            added_grants.append(grant)
        for one_person in _distinct([self.people[one["person_id"]] for one in added_grants]):
            if self._breaks_rule_1_p(one_person):
                return self._take_back(RULES[0])
        for one_grant in _distinct(added_grants):
            if self._breaks_rule_2(one_grant):
                return self._take_back(RULES[1])
        for one_request in _distinct(changed_requests_2):
            if self._breaks_rule_3_q(one_request):
                return self._take_back(RULES[2])
        for one_request in _distinct(
            [
                *changed_requests_2,
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in added_grants]
                    for user in self._requests_by_person.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3_q_again(one_request):
                return self._take_back(RULES[2])
        for one_grant in _distinct(added_grants):
            if self._breaks_rule_4_g(one_grant):
                return self._take_back(RULES[3])
        for one_request in _distinct(changed_requests_2):
            if self._breaks_rule_4_q(one_request):
                return self._take_back(RULES[3])
        for one_grant in _distinct(added_grants):
            if self._breaks_rule_6(one_grant):
                return self._take_back(RULES[5])
        for one_request in _distinct([*changed_requests, *changed_requests_2]):
            if self._breaks_rule_7_q(one_request):
                return self._take_back(RULES[6])
        for one_request in _distinct(changed_requests):
            if self._breaks_rule_7_q_again(one_request):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: approve the request of {self.people[request['person_id']]['name']} for "
                f"{self.roles[request['role_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def refuse_request(self, request_id: str, by_id: str) -> Result:
        """Refuse a request as the person's manager or as the owner of the role.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.
            by_id (str): Person who refuses it, as manager or as owner of the role; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if not self._waiting(request):
            return _refused(f"The request is {request['status']}.")
        if (
            by_id != self.people[request["person_id"]]["manager_id"]
            and by_id != self.roles[request["role_id"]]["owner_id"]
        ):
            return _refused(f"{by['name']} is neither the manager nor the owner of the role.")
        self._journal = []
        if request["status"] not in ("asked", "agreed", "refused"):
            return self._take_back(f"Request {request['id']} cannot go from {request['status']} to refused.")
        self._put("requests", request, "status", "refused")
        if self._breaks_rule_3_q(request):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_q_again(request):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_q(request):
            return self._take_back(RULES[3])
        if self._breaks_rule_7_q(request):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: refuse the request of {self.people[request['person_id']]['name']} for "
                f"{self.roles[request['role_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def revoke_grant(self, grant_id: str, by_id: str) -> Result:
        """Take a role away from somebody, as its owner or the manager, or as anybody once its last day is over; open
        reviews of it are decided with that.

        Args:
            grant_id (str): Id of the grant, such as GRANT-00001.
            by_id (str): Person who takes it away, mostly the role's owner or the holder's manager; an id such as
                PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        grant = self.grants.get(grant_id)
        if grant is None:
            return _refused(f"There is no grant {grant_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if grant["ended_on"] is not None:
            return _refused(f"The grant ended on {grant['ended_on']}.")
        if by_id == grant["person_id"] or by["left_on"] is not None:
            return _refused(f"{by['name']} may not do that.")
        if not (
            by_id == self.roles[grant["role_id"]]["owner_id"]
            or by_id == self.people[grant["person_id"]]["manager_id"]
            or grant["until"] is not None
            and grant["until"] < self.now[:10]
        ):
            return _refused(
                f"Before the last day is over only the owner of {self.roles[grant['role_id']]['name']} or the "
                f"manager of {self.people[grant['person_id']]['name']} may do that."
            )
        self._journal = []
        changed_items: list[Any] = []
        changed_items_2: list[Any] = []
        self._put("grants", grant, "ended_on", self.now[:10])
        for i in [
            i
            for i in sorted(self._items_by_grant.get(grant_id, {}).values(), key=_age)
            if i["verdict"] is None
        ]:
            changed_items.append(i)
            self._put("items", i, "verdict", "remove")
            changed_items_2.append(i)
            self._put("items", i, "by_id", by_id)
        if self._breaks_rule_1_p(self.people[grant["person_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(grant):
            return self._take_back(RULES[1])
        for one_request in _distinct(self._requests_by_person.get(grant["person_id"], {}).values()):
            if self._breaks_rule_3_q_again(one_request):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_g(grant):
            return self._take_back(RULES[3])
        for one_campaign in _distinct([self.campaigns[one["campaign_id"]] for one in changed_items]):
            if self._breaks_rule_9_c(one_campaign):
                return self._take_back(RULES[8])
        for one_item in _distinct([*changed_items, *changed_items_2]):
            if self._breaks_rule_9_i(one_item):
                return self._take_back(RULES[8])
        for one_item in _distinct(
            [*self._items_by_grant_verdict.get((grant["id"], "remove"), {}).values(), *changed_items]
        ):
            if self._breaks_rule_10(one_item):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: revoke {self.roles[grant['role_id']]['name']} from "
                f"{self.people[grant['person_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def mitigate_clash(self, person_id: str, one_id: str, other_id: str, by_id: str, until: Date) -> Result:
        """Allow a person two entitlements that must stay apart, under the eyes of somebody else and for 180 days at
        most.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            one_id (str): One of the two entitlements that must stay apart; an id such as ENTITLEMENT-00001.
            other_id (str): The other of the two entitlements; an id such as ENTITLEMENT-00001.
            by_id (str): Somebody else who watches over the person; an id such as PERSON-00001.
            until (str): Last day of the exception, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        one = self.entitlements.get(one_id)
        if one is None:
            return _refused(f"There is no entitlement {one_id!r}.")
        other = self.entitlements.get(other_id)
        if other is None:
            return _refused(f"There is no entitlement {other_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if not self._toxic(one, other):
            return _refused(f"{one['name']} and {other['name']} need not stay apart.")
        if self._running(person, one, other):
            return _refused(f"A mitigation for {person['name']} covers that already.")
        if by is person or by["left_on"] is not None:
            return _refused("Somebody else who is still here has to watch.")
        if person["left_on"] is not None:
            return _refused(f"{person['name']} has left.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 180):
            return _refused(f"A mitigation lasts until {_plus_days(self.now[:10], 180)} at most.")
        self._journal = []
        mitigation: Mitigation = {
            "id": self._new_id("mitigation", "MITIGATION", self.mitigations),
            "person_id": person_id,
            "one_id": one_id,
            "other_id": other_id,
            "by_id": by_id,
            "until": until,
            "ended_on": None,
        }
        self._add("mitigations", mitigation)
        if self._breaks_rule_1_p(self.people[mitigation["person_id"]]):
            return self._take_back(RULES[0])
        for one_entitlement in _distinct(
            [
                self.entitlements[mitigation["one_id"]],
                *self._entitlements_by_clashes.get(mitigation["one_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_1_e(one_entitlement):
                return self._take_back(RULES[0])
        if self._breaks_rule_8(mitigation):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: mitigate {one['name']} and {other['name']} for {person['name']} until {until} (new: "
                f"mitigation {mitigation['id']})."
            ),
            "data": {"mitigation_id": mitigation["id"], **self._changes()},
        }

    def end_mitigation(self, mitigation_id: str) -> Result:
        """End a mitigation, once the person no longer has both entitlements.

        Args:
            mitigation_id (str): Id of the mitigation, such as MITIGATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        mitigation = self.mitigations.get(mitigation_id)
        if mitigation is None:
            return _refused(f"There is no mitigation {mitigation_id!r}.")
        if mitigation["ended_on"] is not None:
            return _refused(f"It ended on {mitigation['ended_on']}.")
        if (
            self._has(self.people[mitigation["person_id"]], self.entitlements[mitigation["one_id"]])
            and self._has(self.people[mitigation["person_id"]], self.entitlements[mitigation["other_id"]])
        ):
            return _refused(
                f"{self.people[mitigation['person_id']]['name']} still has both, so revoke one of the roles first."
            )
        self._journal = []
        self._put("mitigations", mitigation, "ended_on", self.now[:10])
        if self._breaks_rule_1_p(self.people[mitigation["person_id"]]):
            return self._take_back(RULES[0])
        for one_entitlement in _distinct(
            [
                self.entitlements[mitigation["one_id"]],
                *self._entitlements_by_clashes.get(mitigation["one_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_1_e(one_entitlement):
                return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: end the mitigation for {self.people[mitigation['person_id']]['name']}.",
            "data": self._changes(),
        }

    def add_to_role(self, role_id: str, entitlement_id: str) -> Result:
        """Add an entitlement to a role, unless it would bring together what must stay apart, in the role itself or
        with somebody who has it.

        Args:
            role_id (str): Id of the role, such as ROLE-00001.
            entitlement_id (str): Id of the entitlement, such as ENTITLEMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        entitlement = self.entitlements.get(entitlement_id)
        if entitlement is None:
            return _refused(f"There is no entitlement {entitlement_id!r}.")
        if self._gives(role, entitlement):
            return _refused(f"{role['name']} gives {entitlement['name']} already.")
        inner = next(
            (
                f
                for f in _those(
                    self.entitlements,
                    [
                        *role["entitlement_ids"],
                        *[key for q in _above(self.roles, role, "include_ids") for key in q["entitlement_ids"]],
                    ],
                )
                if self._gives(role, f)
                and self._toxic(entitlement, f)
            ),
            None,
        )
        if inner is not None:
            return _refused(
                f"{role['name']} gives {inner['name']}, which must stay apart from {entitlement['name']}."
            )
        hit = next(
            (
                self.people[g["person_id"]]
                for g in sorted(
                    _distinct(
                        [
                            g
                            for key in [role_id, *[record["id"] for record in _below(self._roles_by_includes, role)]]
                            for g in self._grants_by_role.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if g["ended_on"] is None
                and any(
                    not self._running(self.people[g["person_id"]], entitlement, f)
                    for f in _distinct(
                        [
                            *_those(self.entitlements, entitlement["clash_ids"]),
                            *self._entitlements_by_clashes.get(entitlement_id, {}).values(),
                        ]
                    )
                    if self._has(self.people[g["person_id"]], f)
                )
            ),
            None,
        )
        if hit is not None:
            return _refused(f"{hit['name']} would have entitlements that must stay apart.")
        self._journal = []
        self._put(
            "roles",
            role,
            "entitlement_ids",
            [record["id"] for record in [self.entitlements[key] for key in role["entitlement_ids"]] + [entitlement]],
        )
        for one_person in _distinct(
            [
                *[self.people[one["person_id"]] for one in self._grants_by_role.get(role["id"], {}).values()],
                *[
                    self.people[one["person_id"]]
                    for one in [
                        user
                        for one in _below(self._roles_by_includes, role)
                        for user in self._grants_by_role.get(one["id"], {}).values()
                    ]
                ],
            ]
        ):
            if self._breaks_rule_1_p(one_person):
                return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: add {entitlement['name']} to {role['name']}.",
            "data": self._changes(),
        }

    def start_campaign(self, name: Text, role_id: str, due_on: Date) -> Result:
        """Start a review of a role, which lists everybody who has it.

        Args:
            name (str): Name of the new review, not in use yet.
            role_id (str): Id of the role, such as ROLE-00001.
            due_on (str): Day by which the review is due, within 90 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        if self._campaigns_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a campaign {name} already.")
        if self._campaigns_by_role_status.get((role_id, "open"), {}):
            return _refused(f"{role['name']} is being reviewed already.")
        if self._role_holders(role) <= 0:
            return _refused(f"Nobody has {role['name']}.")
        if self.now[:10] >= due_on or due_on > _plus_days(self.now[:10], 90):
            return _refused("A review is due within 90 days.")
        self._journal = []
        added_items: list[Any] = []
        campaign: Campaign = {
            "id": self._new_id("campaign", "CAMPAIGN", self.campaigns),
            "name": name,
            "role_id": role_id,
            "due_on": due_on,
            "status": "open",
        }
        self._add("campaigns", campaign)
        for g in sorted(
            [g for g in self._grants_by_role.get(role_id, {}).values() if g["ended_on"] is None],
            key=lambda g: (self.people[g["person_id"]]["name"], _age(g)),
        ):
            item = {
                "id": self._new_id("item", "ITEM", self.items),
                "campaign_id": campaign["id"],
                "grant_id": g["id"],
                "by_id": None,
                "verdict": None,
            }
            self._add("items", item)
            added_items.append(item)
        if len(self._campaigns_by_name.get(campaign["name"], {})) > 1:
            return self._take_back(f"There is already a campaign with the name {campaign['name']!r}.")
        for one_campaign in _distinct([campaign, *[self.campaigns[one["campaign_id"]] for one in added_items]]):
            if self._breaks_rule_9_c(one_campaign):
                return self._take_back(RULES[8])
        for one_item in _distinct(added_items):
            if self._breaks_rule_9_i(one_item):
                return self._take_back(RULES[8])
        for one_item in _distinct(added_items):
            if self._breaks_rule_10(one_item):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_c(campaign):
            return self._take_back(RULES[10])
        for one_item in _distinct(added_items):
            if self._breaks_rule_11_i(one_item):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: start the review {name} of {role['name']} (new: campaign {campaign['id']}).",
            "data": {"campaign_id": campaign["id"], **self._changes()},
        }

    def decide_item(self, item_id: str, by_id: str, verdict: Literal["keep", "remove"]) -> Result:
        """Decide in a review whether somebody keeps the role; it is the manager or the owner of the role who decides.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            by_id (str): Person who decides, as the holder's manager or the role's owner; an id such as
                PERSON-00001.
            verdict (str): Whether the holder keeps the role or loses it: keep or remove.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if item["verdict"] is not None:
            return _refused("It was decided already.")
        if not (
            by_id != self.grants[item["grant_id"]]["person_id"]
            and (
                by_id == self.roles[self.grants[item["grant_id"]]["role_id"]]["owner_id"]
                or by_id == self.people[self.grants[item["grant_id"]]["person_id"]]["manager_id"]
            )
        ):
            return _refused(
                f"Only the owner of {self.roles[self.grants[item['grant_id']]['role_id']]['name']} or the manager "
                f"of {self.people[self.grants[item['grant_id']]['person_id']]['name']} may decide that."
            )
        self._journal = []
        changed_grants: list[Any] = []
        changed_items: list[Any] = []
        changed_items_2: list[Any] = []
        self._put("items", item, "verdict", verdict)
        self._put("items", item, "by_id", by_id)
        if verdict == "remove" and self.grants[item["grant_id"]]["ended_on"] is None:
            grant = self.grants[item["grant_id"]]
            changed_grants.append(grant)
            self._put("grants", grant, "ended_on", self.now[:10])
            for i in [
                i
                for i in sorted(self._items_by_grant.get(item["grant_id"], {}).values(), key=_age)
                if i["verdict"] is None
            ]:
                changed_items.append(i)
                self._put("items", i, "verdict", "remove")
                changed_items_2.append(i)
                self._put("items", i, "by_id", by_id)
        for one_person in _distinct([self.people[one["person_id"]] for one in changed_grants]):
            if self._breaks_rule_1_p(one_person):
                return self._take_back(RULES[0])
        for one_grant in _distinct(changed_grants):
            if self._breaks_rule_2(one_grant):
                return self._take_back(RULES[1])
        for one_request in _distinct(
            [
                user
                for one in [self.people[one["person_id"]] for one in changed_grants]
                for user in self._requests_by_person.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3_q_again(one_request):
                return self._take_back(RULES[2])
        for one_grant in _distinct(changed_grants):
            if self._breaks_rule_4_g(one_grant):
                return self._take_back(RULES[3])
        for one_campaign in _distinct(
            [self.campaigns[item["campaign_id"]], *[self.campaigns[one["campaign_id"]] for one in changed_items]]
        ):
            if self._breaks_rule_9_c(one_campaign):
                return self._take_back(RULES[8])
        for one_item in _distinct([item, *changed_items, *changed_items_2]):
            if self._breaks_rule_9_i(one_item):
                return self._take_back(RULES[8])
        for one_item in _distinct(
            [
                item,
                *[
                    user
                    for one in changed_grants
                    for user in self._items_by_grant_verdict.get((one["id"], "remove"), {}).values()
                ],
                *changed_items,
            ]
        ):
            if self._breaks_rule_10(one_item):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: decide {verdict} for {self.people[self.grants[item['grant_id']]['person_id']]['name']} in "
                f"{self.campaigns[item['campaign_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def close_campaign(self, campaign_id: str) -> Result:
        """Close a review in which everything is decided.

        Args:
            campaign_id (str): Id of the campaign, such as CAMPAIGN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        campaign = self.campaigns.get(campaign_id)
        if campaign is None:
            return _refused(f"There is no campaign {campaign_id!r}.")
        if campaign["status"] != "open":
            return _refused(f"{campaign['name']} is {campaign['status']}.")
        if self._campaign_undecided(campaign) != 0:
            return _refused(f"{self._campaign_undecided(campaign)} entries of {campaign['name']} are undecided.")
        self._journal = []
        self._put("campaigns", campaign, "status", "closed")
        if self._breaks_rule_9_c(campaign):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_c(campaign):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: close the review {campaign['name']}.", "data": self._changes()}

    def offboard_person(self, person_id: str, successor_id: str) -> Result:
        """Let somebody leave; roles and requests end, and staff and owned roles go to a successor.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            successor_id (str): Person who takes over the staff and the owned roles; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        successor = self.people.get(successor_id)
        if successor is None:
            return _refused(f"There is no person {successor_id!r}.")
        if person["left_on"] is not None:
            return _refused(f"{person['name']} left on {person['left_on']}.")
        if successor is person or successor["left_on"] is not None:
            return _refused("Name a successor who stays.")
        if person in _above(self.people, successor, "manager_id") and successor["manager_id"] != person_id:
            return _refused(f"{successor['name']} works too far below {person['name']}.")
        odd = next(
            (
                r
                for r in sorted(self._roles_by_owner.get(person_id, {}).values(), key=_age)
                if any(
                    g["person_id"] == successor_id
                    and g["ended_on"] is None
                    for g in self._grants_by_role.get(r["id"], {}).values()
                )
            ),
            None,
        )
        if odd is not None:
            return _refused(f"{successor['name']} has {odd['name']} and cannot own it, so revoke that first.")
        self._journal = []
        changed_grants: list[Any] = []
        changed_items: list[Any] = []
        changed_items_2: list[Any] = []
        changed_requests: list[Any] = []
        changed_people: list[Any] = []
        changed_roles: list[Any] = []
        for g in [
            g
            for g in sorted(self._grants_by_person.get(person_id, {}).values(), key=_age)
            if g["ended_on"] is None
        ]:
            changed_grants.append(g)
            self._put("grants", g, "ended_on", self.now[:10])
            for i in [
                i
                for i in sorted(self._items_by_grant.get(g["id"], {}).values(), key=_age)
                if i["verdict"] is None
            ]:
                changed_items.append(i)
                self._put("items", i, "verdict", "remove")
                changed_items_2.append(i)
                self._put("items", i, "by_id", successor_id)
        for q in [
            q
            for q in sorted(self._requests_by_person.get(person_id, {}).values(), key=_age)
            if self._waiting(q)
        ]:
            if q["status"] not in ("asked", "agreed", "refused"):
                return self._take_back(f"Request {q['id']} cannot go from {q['status']} to refused.")
            changed_requests.append(q)
            self._put("requests", q, "status", "refused")
        for p in sorted(self._people_by_manager.get(person_id, {}).values(), key=_age):
            if p is successor:
                changed_people.append(p)
                self._put("people", p, "manager_id", person["manager_id"])
            else:
                changed_people.append(p)
                self._put("people", p, "manager_id", successor_id)
        for r in sorted(self._roles_by_owner.get(person_id, {}).values(), key=_age):
            changed_roles.append(r)
            self._put("roles", r, "owner_id", successor_id)
        self._put("people", person, "manager_id", None)
        self._put("people", person, "left_on", self.now[:10])
        for one_person in _distinct([self.people[one["person_id"]] for one in changed_grants]):
            if self._breaks_rule_1_p(one_person):
                return self._take_back(RULES[0])
        for one_grant in _distinct(changed_grants):
            if self._breaks_rule_2(one_grant):
                return self._take_back(RULES[1])
        for one_request in _distinct(changed_requests):
            if self._breaks_rule_3_q(one_request):
                return self._take_back(RULES[2])
        for one_request in _distinct(
            [
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in changed_grants]
                    for user in self._requests_by_person.get(one["id"], {}).values()
                ],
                *changed_requests,
            ]
        ):
            if self._breaks_rule_3_q_again(one_request):
                return self._take_back(RULES[2])
        for one_grant in _distinct([*changed_grants, *self._grants_by_person.get(person["id"], {}).values()]):
            if self._breaks_rule_4_g(one_grant):
                return self._take_back(RULES[3])
        for one_request in _distinct([*changed_requests, *self._requests_by_person.get(person["id"], {}).values()]):
            if self._breaks_rule_4_q(one_request):
                return self._take_back(RULES[3])
        for one_person in _distinct(
            [person, *changed_people, *self._people_by_manager.get(person["id"], {}).values()]
        ):
            if self._breaks_rule_4_p(one_person):
                return self._take_back(RULES[3])
        for one_role in _distinct([*changed_roles, *self._roles_by_owner.get(person["id"], {}).values()]):
            if self._breaks_rule_4_r(one_role):
                return self._take_back(RULES[3])
        for one_person in _distinct([person, *changed_people]):
            if self._breaks_rule_5(one_person):
                return self._take_back(RULES[4])
        for one_request in _distinct(changed_requests):
            if self._breaks_rule_7_q(one_request):
                return self._take_back(RULES[6])
        for one_campaign in _distinct([self.campaigns[one["campaign_id"]] for one in changed_items]):
            if self._breaks_rule_9_c(one_campaign):
                return self._take_back(RULES[8])
        for one_item in _distinct([*changed_items, *changed_items_2]):
            if self._breaks_rule_9_i(one_item):
                return self._take_back(RULES[8])
        for one_item in _distinct(
            [
                *[
                    user
                    for one in changed_grants
                    for user in self._items_by_grant_verdict.get((one["id"], "remove"), {}).values()
                ],
                *changed_items,
            ]
        ):
            if self._breaks_rule_10(one_item):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: let {person['name']} leave, with {successor['name']} as the successor.",
            "data": self._changes(),
        }

    def _show_entitlement(self, entitlement: Entitlement) -> dict[str, Any]:
        """The entitlement as an answer shows it."""
        return {**entitlement, "clash_ids": [*entitlement["clash_ids"]]}

    def _show_role(self, role: Role) -> dict[str, Any]:
        """The role as an answer shows it."""
        return {
            **role,
            "entitlement_ids": [*role["entitlement_ids"]],
            "include_ids": [*role["include_ids"]],
            "holders": self._role_holders(role),
        }

    def _show_campaign(self, campaign: Campaign) -> dict[str, Any]:
        """The campaign as an answer shows it."""
        return {**campaign, "undecided": self._campaign_undecided(campaign)}

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names((self.people, "name", [row["manager_id"] for row in shown]))

    def _names_of_entitlements(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entitlements point to."""
        return _names((self.entitlements, "name", [each for row in shown for each in row["clash_ids"]]))

    def _names_of_roles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that roles point to."""
        return _names(
            (self.people, "name", [row["owner_id"] for row in shown]),
            (self.entitlements, "name", [each for row in shown for each in row["entitlement_ids"]]),
            (self.roles, "name", [each for row in shown for each in row["include_ids"]]),
        )

    def _names_of_grants(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that grants point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.roles, "name", [row["role_id"] for row in shown]),
        )

    def _names_of_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that requests point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.roles, "name", [row["role_id"] for row in shown]),
            (self.people, "name", [row["manager_by_id"] for row in shown]),
        )

    def _names_of_mitigations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that mitigations point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.entitlements, "name", [row["one_id"] for row in shown]),
            (self.entitlements, "name", [row["other_id"] for row in shown]),
            (self.people, "name", [row["by_id"] for row in shown]),
        )

    def _names_of_campaigns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that campaigns point to."""
        return _names((self.roles, "name", [row["role_id"] for row in shown]))

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.campaigns, "name", [row["campaign_id"] for row in shown]),
            (self.people, "name", [row["by_id"] for row in shown]),
        )

    def _role_holders(self, role: Role) -> int:
        """The holders of a role."""
        return sum(1 for g in self._grants_by_role.get(role["id"], {}).values() if g["ended_on"] is None)

    def _campaign_undecided(self, campaign: Campaign) -> int:
        """The undecided of a campaign."""
        return sum(1 for i in self._items_by_campaign.get(campaign["id"], {}).values() if i["verdict"] is None)

    def _gives(self, r: Role, e: Entitlement) -> bool:
        return (
            e["id"] in r["entitlement_ids"]
            or any(e["id"] in q["entitlement_ids"] for q in _above(self.roles, r, "include_ids"))
        )

    def _has(self, p: Person, e: Entitlement) -> bool:
        return any(
            g["ended_on"] is None
            and self._gives(self.roles[g["role_id"]], e)
            for g in self._grants_by_person.get(p["id"], {}).values()
        )

    def _toxic(self, e: Entitlement, f: Entitlement) -> bool:
        return f["id"] in e["clash_ids"] or e["id"] in f["clash_ids"]

    def _covered(self, p: Person, e: Entitlement, f: Entitlement) -> bool:
        return any(
            m["one_id"] == e["id"]
            and m["other_id"] == f["id"]
            or m["one_id"] == f["id"]
            and m["other_id"] == e["id"]
            for m in self._mitigations_by_person.get(p["id"], {}).values()
            if m["ended_on"] is None
        )

    def _running(self, p: Person, e: Entitlement, f: Entitlement) -> bool:
        return any(
            m["one_id"] == e["id"]
            and m["other_id"] == f["id"]
            or m["one_id"] == f["id"]
            and m["other_id"] == e["id"]
            for m in self._mitigations_by_person.get(p["id"], {}).values()
            if m["ended_on"] is None
            and m["until"] >= self.now[:10]
        )

    def _apart(self, p: Person, r: Role) -> Entitlement | None:
        return next(
            (
                f
                for f in self.entitlements.values()
                for e in _those(
                    self.entitlements,
                    [
                        *r["entitlement_ids"],
                        *[key for q in _above(self.roles, r, "include_ids") for key in q["entitlement_ids"]],
                    ],
                )
                if self._gives(r, e)
                and self._has(p, f)
                and self._toxic(e, f)
                and not self._running(p, e, f)
            ),
            None,
        )

    def _collides(self, g: Grant, r: Role) -> bool:
        return any(
            not self._running(self.people[g["person_id"]], e, f)
            for e in self.entitlements.values()
            for f in _those(
                self.entitlements,
                [
                    *self.roles[g["role_id"]]["entitlement_ids"],
                    *[
                        key
                        for q in _above(self.roles, self.roles[g["role_id"]], "include_ids")
                        for key in q["entitlement_ids"]
                    ],
                ],
            )
            if self._gives(r, e)
            and self._gives(self.roles[g["role_id"]], f)
            and self._toxic(e, f)
        )

    def _waiting(self, q: Request) -> bool:
        return q["status"] in ("asked", "agreed")

    def _breaks_rule_1_p(self, p: Person) -> bool:
        """Whether this is broken: nobody has two entitlements that must stay apart, unless a mitigation covers both.
        """
        return any(
            not (not (self._has(p, e) and self._has(p, f)) or self._covered(p, e, f))
            for e in self.entitlements.values()
            for f in [self.entitlements[key] for key in e["clash_ids"]]
        )

    def _breaks_rule_1_e(self, e: Entitlement) -> bool:
        """Whether this is broken: nobody has two entitlements that must stay apart, unless a mitigation covers both.
        """
        return any(
            not (not (self._has(p, e) and self._has(p, f)) or self._covered(p, e, f))
            for p in self.people.values()
            for f in [self.entitlements[key] for key in e["clash_ids"]]
        )

    def _breaks_rule_2(self, g: Grant) -> bool:
        """Whether this is broken: a person has a role once at a time."""
        return (
            g["ended_on"] is None
            and any(
                other_g is not g
                for other_g in self._grants_by_person_role.get((g["person_id"], g["role_id"]), {}).values()
                if other_g["ended_on"] is None
            )
        )

    def _breaks_rule_3_q(self, q: Request) -> bool:
        """Whether this is broken: a person has one request for a role under way, and none for a role they have."""
        return (
            self._waiting(q)
            and any(
                other_q is not q
                for other_q in self._requests_by_person_role.get((q["person_id"], q["role_id"]), {}).values()
                if self._waiting(other_q)
            )
        )

    def _breaks_rule_3_q_again(self, q: Request) -> bool:
        """Whether this is broken: a person has one request for a role under way, and none for a role they have."""
        return (
            self._waiting(q)
            and any(
                g["role_id"] == q["role_id"]
                and g["ended_on"] is None
                for g in self._grants_by_person.get(q["person_id"], {}).values()
            )
        )

    def _breaks_rule_4_g(self, g: Grant) -> bool:
        """Whether this is broken: whoever has left has no roles, no requests under way, no staff and owns nothing.
        """
        return g["ended_on"] is None and self.people[g["person_id"]]["left_on"] is not None

    def _breaks_rule_4_q(self, q: Request) -> bool:
        """Whether this is broken: whoever has left has no roles, no requests under way, no staff and owns nothing.
        """
        return self._waiting(q) and self.people[q["person_id"]]["left_on"] is not None

    def _breaks_rule_4_p(self, p: Person) -> bool:
        """Whether this is broken: whoever has left has no roles, no requests under way, no staff and owns nothing.
        """
        return (
            p["left_on"] is None
            and (p["manager_id"] is not None and self.people[p["manager_id"]]["left_on"] is not None)
        )

    def _breaks_rule_4_r(self, r: Role) -> bool:
        """Whether this is broken: whoever has left has no roles, no requests under way, no staff and owns nothing.
        """
        return self.people[r["owner_id"]]["left_on"] is not None

    def _breaks_rule_5(self, p: Person) -> bool:
        """Whether this is broken: nobody is their own manager, however far up."""
        return p in _above(self.people, p, "manager_id")

    def _breaks_rule_6(self, g: Grant) -> bool:
        """Whether this is broken: a critical role is given for a time only."""
        return self.roles[g["role_id"]]["critical"] and g["until"] is None

    def _breaks_rule_7_q(self, q: Request) -> bool:
        """Whether this is broken: a manager has agreed to every request that was agreed or granted, and nobody agrees
        to their own.
        """
        return q["status"] in ("agreed", "granted") and q["manager_by_id"] is None

    def _breaks_rule_7_q_again(self, q: Request) -> bool:
        """Whether this is broken: a manager has agreed to every request that was agreed or granted, and nobody agrees
        to their own.
        """
        return q["manager_by_id"] is not None and q["manager_by_id"] == q["person_id"]

    def _breaks_rule_8(self, m: Mitigation) -> bool:
        """Whether this is broken: a mitigation is signed by somebody else and covers two entitlements that must stay
        apart.
        """
        return not (
            m["by_id"] != m["person_id"]
            and self._toxic(self.entitlements[m["one_id"]], self.entitlements[m["other_id"]])
        )

    def _breaks_rule_9_c(self, c: Campaign) -> bool:
        """Whether this is broken: a closed campaign leaves nothing undecided, and whoever decided was not the person
        reviewed.
        """
        return c["status"] == "closed" and self._campaign_undecided(c) != 0

    def _breaks_rule_9_i(self, i: Item) -> bool:
        """Whether this is broken: a closed campaign leaves nothing undecided, and whoever decided was not the person
        reviewed.
        """
        return not (
            (i["verdict"] is None) == (i["by_id"] is None)
            and (i["by_id"] is None or i["by_id"] != self.grants[i["grant_id"]]["person_id"])
        )

    def _breaks_rule_10(self, i: Item) -> bool:
        """Whether this is broken: what a review removes has ended."""
        return i["verdict"] == "remove" and self.grants[i["grant_id"]]["ended_on"] is None

    def _breaks_rule_11_c(self, c: Campaign) -> bool:
        """Whether this is broken: a role has one open campaign at a time, which lists each grant once."""
        return (
            c["status"] == "open"
            and any(
                other_c is not c
                for other_c in self._campaigns_by_role_status.get((c["role_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_11_i(self, i: Item) -> bool:
        """Whether this is broken: a role has one open campaign at a time, which lists each grant once."""
        return any(
            other_i is not i
            for other_i in self._items_by_campaign_grant.get((i["campaign_id"], i["grant_id"]), {}).values()
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
            case "people":
                self._people_by_manager.setdefault(record["manager_id"], {})[record["id"]] = record
            case "entitlements":
                for key in record["clash_ids"]:
                    self._entitlements_by_clashes.setdefault(key, {})[record["id"]] = record
            case "roles":
                for key in record["include_ids"]:
                    self._roles_by_includes.setdefault(key, {})[record["id"]] = record
                self._roles_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
            case "grants":
                self._grants_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._grants_by_person_role.setdefault(
                    (record["person_id"], record["role_id"]),
                    {},
                )[record["id"]] = record
                self._grants_by_role.setdefault(record["role_id"], {})[record["id"]] = record
            case "requests":
                self._requests_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._requests_by_person_role.setdefault(
                    (record["person_id"], record["role_id"]),
                    {},
                )[record["id"]] = record
                self._requests_by_role.setdefault(record["role_id"], {})[record["id"]] = record
            case "mitigations":
                self._mitigations_by_person.setdefault(record["person_id"], {})[record["id"]] = record
            case "campaigns":
                self._campaigns_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._campaigns_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._campaigns_by_role_status.setdefault(
                    (record["role_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "items":
                self._items_by_campaign.setdefault(record["campaign_id"], {})[record["id"]] = record
                self._items_by_campaign_grant.setdefault(
                    (record["campaign_id"], record["grant_id"]),
                    {},
                )[record["id"]] = record
                self._items_by_grant.setdefault(record["grant_id"], {})[record["id"]] = record
                self._items_by_grant_verdict.setdefault(
                    (record["grant_id"], record["verdict"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "people":
                del self._people_by_manager[record["manager_id"]][record["id"]]
            case "entitlements":
                for key in record["clash_ids"]:
                    self._entitlements_by_clashes[key].pop(record["id"], None)
            case "roles":
                for key in record["include_ids"]:
                    self._roles_by_includes[key].pop(record["id"], None)
                del self._roles_by_owner[record["owner_id"]][record["id"]]
            case "grants":
                del self._grants_by_person[record["person_id"]][record["id"]]
                del self._grants_by_person_role[record["person_id"], record["role_id"]][record["id"]]
                del self._grants_by_role[record["role_id"]][record["id"]]
            case "requests":
                del self._requests_by_person[record["person_id"]][record["id"]]
                del self._requests_by_person_role[record["person_id"], record["role_id"]][record["id"]]
                del self._requests_by_role[record["role_id"]][record["id"]]
            case "mitigations":
                del self._mitigations_by_person[record["person_id"]][record["id"]]
            case "campaigns":
                del self._campaigns_by_lower_name[record["name"].lower()][record["id"]]
                del self._campaigns_by_name[record["name"]][record["id"]]
                del self._campaigns_by_role_status[record["role_id"], record["status"]][record["id"]]
            case "items":
                del self._items_by_campaign[record["campaign_id"]][record["id"]]
                del self._items_by_campaign_grant[record["campaign_id"], record["grant_id"]][record["id"]]
                del self._items_by_grant[record["grant_id"]][record["id"]]
                del self._items_by_grant_verdict[record["grant_id"], record["verdict"]][record["id"]]
