"""Feature flags. Compiled from blueprint.yaml; run `envscaler build feature_flags` after changing it there.

Switches the features of a shop on and off per environment, with prerequisites, percentage rollouts, customer
segments, experiments that share traffic, scheduled changes with approval and a kill switch.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A flag has one setting in an environment.",
    "The prerequisites of flags never go round in a circle.",
    "Where a flag is on, each of its prerequisites is on and rolled out at least as far.",
    "A flag is on in an environment only while it is on in the one before.",
    "A flag that is on reaches somebody, and one that is off has no percentage.",
    "A kill switch is rolled out to everybody or to nobody, and no flag needs one.",
    "The experiments of a layer never take more than all of the traffic of an environment.",
    "Experiments have a layer, and nothing else has one.",
    "An archived flag is off everywhere and no live flag needs it.",
    "A setting has at most one change ahead.",
    "A change is approved by an approver who did not ask for it.",
    "No customer is both in a segment and shut out of it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "create_flag",
    "require_flag",
    "roll_out",
    "kill_flag",
    "target_segment",
    "place_customer",
    "schedule_change",
    "approve_change",
    "apply_change",
    "withdraw_change",
    "archive_flag",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "environments": ("name",),
    "people": ("name",),
    "flags": ("key",),
    "settings": (),
    "segments": ("name",),
    "customers": ("name",),
    "changes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("changes", "setting_id"),
    ("environments", "after_id"),
    ("flags", "key"),
    ("flags", "need_ids"),
    ("segments", "member_ids"),
    ("segments", "shut_out_ids"),
    ("settings", "environment_id"),
    ("settings", "flag_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Environment(TypedDict):
    id: str
    name: str
    after_id: str | None
    by_schedule: bool


class Person(TypedDict):
    id: str
    name: str
    approver: bool


class Flag(TypedDict):
    id: str
    key: str
    owner_id: str
    kind: Literal["release", "experiment", "kill_switch"]
    layer: Literal["search", "checkout", "signup"] | None
    need_ids: list[str]
    created_on: str
    status: Literal["live", "archived"]


class Setting(TypedDict):
    id: str
    flag_id: str
    environment_id: str
    on: bool
    percent: int
    segment_ids: list[str]
    changed_at: str | None


class Segment(TypedDict):
    id: str
    name: str
    member_ids: list[str]
    shut_out_ids: list[str]


class Customer(TypedDict):
    id: str
    name: str
    plan: Literal["basic", "plus", "enterprise"]


class Change(TypedDict):
    id: str
    setting_id: str
    percent: int
    due_at: str
    asked_by_id: str
    approved_by_id: str | None
    applied_at: str | None
    status: Literal["waiting", "approved", "withdrawn", "applied"]


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


def _bucket(*values: Any) -> int:
    """A number from 0 to 99 that is always the same for the same values."""
    return int.from_bytes(sha256("|".join(map(str, values)).encode()).digest()[:8], "big") % 100


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


class FeatureFlags:
    """Switches the features of a shop on and off per environment, with prerequisites, percentage rollouts,
    customer segments, experiments that share traffic, scheduled changes with approval and a kill
    switch.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.environments: dict[str, Environment] = _copied(config.get("environments", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.flags: dict[str, Flag] = _copied(config.get("flags", {}))
        self.settings: dict[str, Setting] = _copied(config.get("settings", {}))
        self.segments: dict[str, Segment] = _copied(config.get("segments", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.changes: dict[str, Change] = _copied(config.get("changes", {}))
        self.now: str = config.get("now", "2026-05-12T10:20")
        self.counters: dict[str, int] = {
            "environment": len(self.environments),
            "person": len(self.people),
            "flag": len(self.flags),
            "setting": len(self.settings),
            "segment": len(self.segments),
            "customer": len(self.customers),
            "change": len(self.changes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._environments_by_after: dict[Any, dict[str, Environment]] = {}
        self._flags_by_key: dict[Any, dict[str, Flag]] = {}
        self._flags_by_lower_key: dict[Any, dict[str, Flag]] = {}
        self._flags_by_needs: dict[Any, dict[str, Flag]] = {}
        self._settings_by_environment: dict[Any, dict[str, Setting]] = {}
        self._settings_by_flag: dict[Any, dict[str, Setting]] = {}
        self._settings_by_flag_environment: dict[Any, dict[str, Setting]] = {}
        self._segments_by_members: dict[Any, dict[str, Segment]] = {}
        self._segments_by_shut_out: dict[Any, dict[str, Segment]] = {}
        self._changes_by_setting: dict[Any, dict[str, Change]] = {}
        for environment in self.environments.values():
            self._link("environments", environment)
        for flag in self.flags.values():
            self._link("flags", flag)
        for setting in self.settings.values():
            self._link("settings", setting)
        for segment in self.segments.values():
            self._link("segments", segment)
        for change in self.changes.values():
            self._link("changes", change)

    def flag_for_customer(self, flag_id: str, environment_id: str, customer_id: str) -> Result:
        """Whether a customer sees a feature in an environment, and why.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            environment_id (str): Id of the environment, such as ENVIRONMENT-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.

        Returns:
            dict: {"success": True, "data": {sees, percent, prerequisites_hiding_it, segments, shut_out_of}} or
                {"success": False, "error": why not}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        environment = self.environments.get(environment_id)
        if environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        return _found(
            {
                "sees": self._sees(flag, environment, customer),
                "percent": self._width(flag, environment),
                "prerequisites_hiding_it": [
                    *[
                        f["key"]
                        for f in _above(self.flags, flag, "need_ids")
                        if not any(
                            self._shows(s, customer)
                            for s in self._settings_by_flag_environment.get((f["id"], environment_id), {}).values()
                        )
                    ]
                ],
                "segments": [
                    *[g["name"] for g in sorted(self._segments_by_members.get(customer_id, {}).values(), key=_age)]
                ],
                "shut_out_of": [
                    *[g["name"] for g in sorted(self._segments_by_shut_out.get(customer_id, {}).values(), key=_age)]
                ],
            }
        )

    def rollout_of(self, flag_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """How far a flag is rolled out in each environment.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "settings": records}} or {"success": False, "error": why
                not}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        found = [s for s in self._settings_by_flag.get(flag_id, {}).values()]
        found.sort(key=lambda s: (self.environments[s["environment_id"]]["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "settings": [
                    {
                        "setting_id": s["id"],
                        "environment": self.environments[s["environment_id"]]["name"],
                        "percent": s["percent"],
                        "segments": [*[g["name"] for g in [self.segments[key] for key in s["segment_ids"]]]],
                        "customers": sum(
                            1
                            for c in self.customers.values()
                            if self._sees(flag, self.environments[s["environment_id"]], c)
                        ),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def flags_that_need(self, flag_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The flags that depend on a flag, directly or further up.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "flags": records}} or {"success": False, "error": why
                not}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        found = [f for f in _below(self._flags_by_needs, flag)]
        return _found(
            {
                "total": len(found),
                "flags": [
                    {
                        "id": f["id"],
                        "key": f["key"],
                        "needs": [*[n["key"] for n in [self.flags[key] for key in f["need_ids"]]]],
                        "status": f["status"],
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def changes_ahead(
        self,
        environment_id: str | None = None,
        until: DateTime | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Scheduled changes that are waiting or approved, the earliest first.

        Args:
            environment_id (str, optional): Environment of the changes; an id such as ENVIRONMENT-00001. If left
                out, the changes of all environments are listed.
            until (str, optional): Last moment at which the listed changes are due, as YYYY-MM-DDTHH:MM. If left
                out, changes at any time are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "changes": records}} or {"success": False, "error": why
                not}
        """
        environment = self.environments.get(environment_id) if environment_id is not None else None
        if environment_id is not None and environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        found = [
            c
            for c in self.changes.values()
            if c["status"] in ("waiting", "approved")
            and (environment_id is None or self.settings[c["setting_id"]]["environment_id"] == environment_id)
            and (until is None or c["due_at"] <= until)
        ]
        found.sort(key=lambda c: (c["due_at"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "changes": [
                    {
                        "id": c["id"],
                        "flag": self.flags[self.settings[c["setting_id"]]["flag_id"]]["key"],
                        "environment": self.environments[self.settings[c["setting_id"]]["environment_id"]]["name"],
                        "percent": c["percent"],
                        "due_at": c["due_at"],
                        "asked_by": self.people[c["asked_by_id"]]["name"],
                        "status": c["status"],
                        "could_be_applied": self._possible(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_environments(
        self,
        name: Text | None = None,
        after_id: str | None = None,
        by_schedule: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the environments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only environments whose name contains this text.
            after_id (str, optional): Only environments after this environment.
            by_schedule (bool, optional): Only environments that are by schedule (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "environments": records}}
        """
        if after_id is not None and after_id not in self.environments:
            return _refused(f"There is no environment {after_id!r}.")
        found = [
            environment
            for environment in self.environments.values()
            if (name is None or name.casefold() in environment["name"].casefold())
            and (after_id is None or environment["after_id"] == after_id)
            and (by_schedule is None or environment["by_schedule"] == by_schedule)
        ]
        shown = [{**environment} for environment in _page(found, offset)]
        return _found({"total": len(found), "environments": shown}, self._names_of_environments(shown))

    def list_people(
        self,
        name: Text | None = None,
        approver: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            approver (bool, optional): Only people with this value of `approver`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (approver is None or person["approver"] == approver)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_flags(
        self,
        key: Text | None = None,
        owner_id: str | None = None,
        kind: Literal["release", "experiment", "kill_switch"] | None = None,
        layer: Literal["search", "checkout", "signup"] | None = None,
        status: Literal["live", "archived"] | None = None,
        created_on_from: Date | None = None,
        created_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the flags, oldest first, all of them or only some.

        Args:
            key (str, optional): Only flags whose key contains this text.
            owner_id (str, optional): Only flags whose owner is this person.
            kind (str, optional): Only flags with this kind.
            layer (str, optional): Only flags with this layer.
            status (str, optional): Only flags with this status.
            created_on_from (str, optional): Only flags whose `created_on` is on this day or later.
            created_on_to (str, optional): Only flags whose `created_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "flags": records}}
        """
        if owner_id is not None and owner_id not in self.people:
            return _refused(f"There is no person {owner_id!r}.")
        found = [
            flag
            for flag in self.flags.values()
            if (key is None or key.casefold() in flag["key"].casefold())
            and (owner_id is None or flag["owner_id"] == owner_id)
            and (kind is None or flag["kind"] == kind)
            and (layer is None or flag["layer"] == layer)
            and (status is None or flag["status"] == status)
            and (created_on_from is None or flag["created_on"] >= created_on_from)
            and (created_on_to is None or flag["created_on"] <= created_on_to)
        ]
        shown = [self._show_flag(flag) for flag in _page(found, offset)]
        return _found({"total": len(found), "flags": shown}, self._names_of_flags(shown))

    def list_settings(
        self,
        flag_id: str | None = None,
        environment_id: str | None = None,
        on: bool | None = None,
        changed_at_from: Date | None = None,
        changed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the settings, oldest first, all of them or only some.

        Args:
            flag_id (str, optional): Only settings of this flag.
            environment_id (str, optional): Only settings of this environment.
            on (bool, optional): Only settings that are on (true) or not (false).
            changed_at_from (str, optional): Only settings whose `changed_at` is on this day or later.
            changed_at_to (str, optional): Only settings whose `changed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "settings": records}}
        """
        if flag_id is not None and flag_id not in self.flags:
            return _refused(f"There is no flag {flag_id!r}.")
        if environment_id is not None and environment_id not in self.environments:
            return _refused(f"There is no environment {environment_id!r}.")
        found = [
            setting
            for setting in self.settings.values()
            if (flag_id is None or setting["flag_id"] == flag_id)
            and (environment_id is None or setting["environment_id"] == environment_id)
            and (on is None or setting["on"] == on)
            and (
                changed_at_from is None
                or (setting["changed_at"] is not None and setting["changed_at"][:10] >= changed_at_from)
            )
            and (
                changed_at_to is None
                or (setting["changed_at"] is not None and setting["changed_at"][:10] <= changed_at_to)
            )
        ]
        shown = [self._show_setting(setting) for setting in _page(found, offset)]
        return _found({"total": len(found), "settings": shown}, self._names_of_settings(shown))

    def list_segments(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the segments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only segments whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "segments": records}}
        """
        found = [
            segment
            for segment in self.segments.values()
            if (name is None or name.casefold() in segment["name"].casefold())
        ]
        shown = [self._show_segment(segment) for segment in _page(found, offset)]
        return _found({"total": len(found), "segments": shown}, self._names_of_segments(shown))

    def list_customers(
        self,
        name: Text | None = None,
        plan: Literal["basic", "plus", "enterprise"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            plan (str, optional): Only customers with this plan.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (plan is None or customer["plan"] == plan)
        ]
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_changes(
        self,
        setting_id: str | None = None,
        asked_by_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["waiting", "approved", "withdrawn", "applied"] | None = None,
        due_at_from: Date | None = None,
        due_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the changes, oldest first, all of them or only some.

        Args:
            setting_id (str, optional): Only changes of this setting.
            asked_by_id (str, optional): Only changes asked by this person.
            approved_by_id (str, optional): Only changes approved by this person.
            status (str, optional): Only changes with this status.
            due_at_from (str, optional): Only changes whose `due_at` is on this day or later.
            due_at_to (str, optional): Only changes whose `due_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "changes": records}}
        """
        if setting_id is not None and setting_id not in self.settings:
            return _refused(f"There is no setting {setting_id!r}.")
        if asked_by_id is not None and asked_by_id not in self.people:
            return _refused(f"There is no person {asked_by_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.people:
            return _refused(f"There is no person {approved_by_id!r}.")
        found = [
            change
            for change in self.changes.values()
            if (setting_id is None or change["setting_id"] == setting_id)
            and (asked_by_id is None or change["asked_by_id"] == asked_by_id)
            and (approved_by_id is None or change["approved_by_id"] == approved_by_id)
            and (status is None or change["status"] == status)
            and (due_at_from is None or change["due_at"][:10] >= due_at_from)
            and (due_at_to is None or change["due_at"][:10] <= due_at_to)
        ]
        shown = [{**change} for change in _page(found, offset)]
        return _found({"total": len(found), "changes": shown}, self._names_of_changes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def create_flag(
        self,
        key: Text,
        owner_id: str,
        kind: Literal["release", "experiment", "kill_switch"],
        layer: Literal["search", "checkout", "signup"] | None = None,
        need_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Create a flag, which is off everywhere.

        Args:
            key (str): Key of the new flag, not in use yet.
            owner_id (str): Person responsible for the flag; an id such as PERSON-00001.
            kind (str): Kind of flag, where a kill switch depends on nothing: release, experiment or kill_switch.
            layer (str, optional): Layer whose customers the experiments share, needed for an experiment and only
                then: search, checkout or signup. If left out, it has no layer.
            need_ids (list): Live flags that must be on for it to work, no kill switches: ids of flags, such as
                FLAG-00001. If left out, it has no prerequisites.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        owner = self.people.get(owner_id)
        if owner is None:
            return _refused(f"There is no person {owner_id!r}.")
        needs = []
        for key_2 in need_ids or []:
            if key_2 not in self.flags:
                return _refused(f"There is no flag {key_2!r}.")
            needs.append(self.flags[key_2])
        if self._flags_by_lower_key.get(key.lower(), {}):
            return _refused(f"There is a flag {key} already.")
        if (kind == "experiment") != (layer is not None):
            return _refused("An experiment needs a layer, and nothing else may have one.")
        if not _different([n["id"] for n in needs]):
            return _refused("A prerequisite is named twice.")
        dead = next((n for n in needs if n["status"] != "live"), None)
        if dead is not None:
            return _refused(f"{dead['key']} is archived and cannot be a prerequisite.")
        if kind == "kill_switch" and len(needs) != 0:
            return _refused("A kill switch depends on nothing.")
        if any(n["kind"] == "kill_switch" for n in needs):
            return _refused("A kill switch cannot be a prerequisite.")
        self._journal = []
        added_settings: list[Any] = []
        flag: Flag = {
            "id": self._new_id("flag", "FLAG", self.flags),
            "key": key,
            "owner_id": owner_id,
            "kind": kind,
            "layer": layer,
            "need_ids": [record["id"] for record in _those(self.flags, [record["id"] for record in needs])],
            "created_on": self.now[:10],
            "status": "live",
        }
        self._add("flags", flag)
        for e in list(self.environments.values()):
            setting = {
                "id": self._new_id("setting", "SETTING", self.settings),
                "flag_id": flag["id"],
                "environment_id": e["id"],
                "on": False,
                "percent": 0,
                "segment_ids": [record["id"] for record in []],
                "changed_at": None,
            }
            self._add("settings", setting)
            added_settings.append(setting)
        if len(self._flags_by_key.get(flag["key"], {})) > 1:
            return self._take_back(f"There is already a flag with the key {flag['key']!r}.")
        for one_setting in _distinct(added_settings):
            if self._breaks_rule_1(one_setting):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(flag):
            return self._take_back(RULES[1])
        for one_setting in _distinct(
            [
                *added_settings,
                *[
                    user
                    for one in [
                        user
                        for one in [self.flags[one["flag_id"]] for one in added_settings]
                        for user in self._flags_by_needs.get(one["id"], {}).values()
                    ]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_setting):
                return self._take_back(RULES[2])
        for one_setting in _distinct(
            [
                *added_settings,
                *[
                    user
                    for one in [self.flags[one["flag_id"]] for one in added_settings]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_setting):
                return self._take_back(RULES[3])
        for one_setting in _distinct(added_settings):
            if self._breaks_rule_5(one_setting):
                return self._take_back(RULES[4])
        for one_setting in _distinct(added_settings):
            if self._breaks_rule_6_s(one_setting):
                return self._take_back(RULES[5])
        if self._breaks_rule_6_f(flag):
            return self._take_back(RULES[5])
        for one_setting in _distinct(
            [
                *added_settings,
                *[
                    user
                    for one in [self.environments[one["environment_id"]] for one in added_settings]
                    for user in self._settings_by_environment.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_setting):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(flag):
            return self._take_back(RULES[7])
        for one_setting in _distinct(added_settings):
            if self._breaks_rule_9_s(one_setting):
                return self._take_back(RULES[8])
        if self._breaks_rule_9_f(flag):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: create the flag {key} (new: flag {flag['id']}).",
            "data": {"flag_id": flag["id"], **self._changes()},
        }

    def require_flag(self, flag_id: str, prerequisite_id: str, required: bool = True) -> Result:
        """Make one flag a prerequisite of another, or no longer so.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            prerequisite_id (str): Live flag that the other one needs; an id such as FLAG-00001.
            required (bool): Whether it becomes a prerequisite, as opposed to no longer being one. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        prerequisite = self.flags.get(prerequisite_id)
        if prerequisite is None:
            return _refused(f"There is no flag {prerequisite_id!r}.")
        if flag["status"] != "live" or prerequisite["status"] != "live":
            return _refused("Both flags must be live.")
        if flag["kind"] == "kill_switch":
            return _refused(f"{flag['key']} is a kill switch and depends on nothing.")
        if prerequisite["kind"] == "kill_switch":
            return _refused(f"{prerequisite['key']} is a kill switch and cannot be a prerequisite.")
        if required != (prerequisite_id not in flag["need_ids"]):
            return _refused(f"For {prerequisite['key']} and {flag['key']} it is as wanted already.")
        if flag is prerequisite or flag in _above(self.flags, prerequisite, "need_ids"):
            return _refused(
                f"{prerequisite['key']} depends on {flag['key']} itself, so that would go round in a circle."
            )
        hole = next(
            (e for e in self.environments.values() if self._width(flag, e) > self._width(prerequisite, e)),
            None,
        )
        if hole is not None:
            return _refused(
                f"In {hole['name']} {flag['key']} is at {self._width(flag, hole)} percent and "
                f"{prerequisite['key']} only at {self._width(prerequisite, hole)}, so widen that first."
            )
        self._journal = []
        self._put(
            "flags",
            flag,
            "need_ids",
            [
                record["id"]
                for record in [
                    f
                    for f in _those(self.flags, [*flag["need_ids"], prerequisite_id])
                    if (f["id"] in flag["need_ids"] and f is not prerequisite or f is prerequisite and required)
                ]
            ],
        )
        if self._breaks_rule_2(flag):
            return self._take_back(RULES[1])
        for one_setting in _distinct(self._settings_by_flag.get(flag["id"], {}).values()):
            if self._breaks_rule_3(one_setting):
                return self._take_back(RULES[2])
        if self._breaks_rule_6_f(flag):
            return self._take_back(RULES[5])
        if self._breaks_rule_9_f(flag):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: change whether {flag['key']} needs {prerequisite['key']}.",
            "data": self._changes(),
        }

    def roll_out(
        self,
        flag_id: str,
        environment_id: str,
        percent: Annotated[int, {"minimum": 1, "maximum": 100}],
    ) -> Result:
        """Roll a flag out to a percentage of the customers in an environment that may be changed directly.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            environment_id (str): Id of the environment, such as ENVIRONMENT-00001.
            percent (int): Part of the customers who see it, in percent, 100 for a kill switch, from 1 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        environment = self.environments.get(environment_id)
        if environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        if flag["status"] != "live":
            return _refused(f"{flag['key']} is archived.")
        if environment["by_schedule"]:
            return _refused(f"{environment['name']} is only changed by scheduled changes that somebody has approved.")
        if percent == self._width(flag, environment):
            return _refused(f"{flag['key']} is at {percent} percent in {environment['name']} already.")
        if flag["kind"] == "kill_switch" and percent != 100:
            return _refused(f"{flag['key']} is a kill switch, so it is for everybody or nobody.")
        if not self._ready_in(flag, self.environments.get(environment["after_id"])):
            return _refused(f"{flag['key']} is still off in the environment before {environment['name']}.")
        base = self._too_narrow(flag, environment, percent)
        if base is not None:
            return _refused(
                f"{flag['key']} needs {base['key']}, which is at {self._width(base, environment)} percent in "
                f"{environment['name']}."
            )
        top = self._too_wide(flag, environment, percent)
        if top is not None:
            return _refused(
                f"{top['key']} needs {flag['key']} and is at {self._width(top, environment)} percent in "
                f"{environment['name']}."
            )
        if self._crowd(flag, environment) + percent > 100:
            return _refused(
                f"The other experiments of that layer take {self._crowd(flag, environment)} percent of "
                f"{environment['name']}."
            )
        self._journal = []
        changed_settings: list[Any] = []
        changed_settings_2: list[Any] = []
        for s in sorted(self._settings_by_flag_environment.get((flag_id, environment_id), {}).values(), key=_age):
            changed_settings.append(s)
            self._put("settings", s, "on", True)
            changed_settings_2.append(s)
            self._put("settings", s, "percent", percent)
            self._put("settings", s, "changed_at", self.now)
        for one_setting in _distinct(
            [
                *changed_settings,
                *[
                    user
                    for one in [
                        user
                        for one in [self.flags[one["flag_id"]] for one in changed_settings]
                        for user in self._flags_by_needs.get(one["id"], {}).values()
                    ]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.flags[one["flag_id"]] for one in changed_settings_2]
                        for user in self._flags_by_needs.get(one["id"], {}).values()
                    ]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
                *changed_settings_2,
            ]
        ):
            if self._breaks_rule_3(one_setting):
                return self._take_back(RULES[2])
        for one_setting in _distinct(
            [
                *changed_settings,
                *[
                    user
                    for one in [self.flags[one["flag_id"]] for one in changed_settings]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_setting):
                return self._take_back(RULES[3])
        for one_setting in _distinct([*changed_settings, *changed_settings_2]):
            if self._breaks_rule_5(one_setting):
                return self._take_back(RULES[4])
        for one_setting in _distinct(changed_settings_2):
            if self._breaks_rule_6_s(one_setting):
                return self._take_back(RULES[5])
        for one_setting in _distinct(
            [
                *changed_settings,
                *[
                    user
                    for one in [self.environments[one["environment_id"]] for one in changed_settings]
                    for user in self._settings_by_environment.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.environments[one["environment_id"]] for one in changed_settings_2]
                    for user in self._settings_by_environment.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_setting):
                return self._take_back(RULES[6])
        for one_setting in _distinct(changed_settings):
            if self._breaks_rule_9_s(one_setting):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: roll {flag['key']} out to {percent} percent in {environment['name']}.",
            "data": self._changes(),
        }

    def kill_flag(self, flag_id: str, environment_id: str) -> Result:
        """Switch a flag off at once in an environment and those after it, with everything that needs it; changes
        ahead for these are withdrawn.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            environment_id (str): Id of the environment, such as ENVIRONMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        environment = self.environments.get(environment_id)
        if environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        if self._width(flag, environment) <= 0:
            return _refused(f"{flag['key']} is off in {environment['name']} anyway.")
        self._journal = []
        changed_settings: list[Any] = []
        changed_settings_2: list[Any] = []
        changed_changes: list[Any] = []
        for f in [flag] + _below(self._flags_by_needs, flag):
            for e in [environment] + _below(self._environments_by_after, environment):
                for s in [
                    s
                    for s in sorted(self._settings_by_flag_environment.get((f["id"], e["id"]), {}).values(), key=_age)
                    if s["on"]
                ]:
                    changed_settings.append(s)
                    self._put("settings", s, "on", False)
                    changed_settings_2.append(s)
                    self._put("settings", s, "percent", 0)
                    self._put("settings", s, "changed_at", self.now)
                    for c in [
                        c
                        for c in sorted(self._changes_by_setting.get(s["id"], {}).values(), key=_age)
                        if c["status"] in ("waiting", "approved")
                    ]:
                        if c["status"] not in ("waiting", "approved", "withdrawn"):
                            return self._take_back(f"Change {c['id']} cannot go from {c['status']} to withdrawn.")
                        changed_changes.append(c)
                        self._put("changes", c, "status", "withdrawn")
        for one_setting in _distinct(
            [
                *changed_settings,
                *[
                    user
                    for one in [
                        user
                        for one in [self.flags[one["flag_id"]] for one in changed_settings]
                        for user in self._flags_by_needs.get(one["id"], {}).values()
                    ]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.flags[one["flag_id"]] for one in changed_settings_2]
                        for user in self._flags_by_needs.get(one["id"], {}).values()
                    ]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
                *changed_settings_2,
            ]
        ):
            if self._breaks_rule_3(one_setting):
                return self._take_back(RULES[2])
        for one_setting in _distinct(
            [
                *changed_settings,
                *[
                    user
                    for one in [self.flags[one["flag_id"]] for one in changed_settings]
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_setting):
                return self._take_back(RULES[3])
        for one_setting in _distinct([*changed_settings, *changed_settings_2]):
            if self._breaks_rule_5(one_setting):
                return self._take_back(RULES[4])
        for one_setting in _distinct(changed_settings_2):
            if self._breaks_rule_6_s(one_setting):
                return self._take_back(RULES[5])
        for one_setting in _distinct(
            [
                *changed_settings,
                *[
                    user
                    for one in [self.environments[one["environment_id"]] for one in changed_settings]
                    for user in self._settings_by_environment.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.environments[one["environment_id"]] for one in changed_settings_2]
                    for user in self._settings_by_environment.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_setting):
                return self._take_back(RULES[6])
        for one_setting in _distinct(changed_settings):
            if self._breaks_rule_9_s(one_setting):
                return self._take_back(RULES[8])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10(one_change):
                return self._take_back(RULES[9])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_11_c_again(one_change):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: switch {flag['key']} off in {environment['name']}.",
            "data": self._changes(),
        }

    def target_segment(
        self,
        flag_id: str,
        environment_id: str,
        segment_id: str,
        targeted: bool = True,
        by_id: str | None = None,
    ) -> Result:
        """Show a flag to a whole segment in an environment whatever its percentage, or no longer do so; where changes
        need approval, an approver does it.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            environment_id (str): Id of the environment, such as ENVIRONMENT-00001.
            segment_id (str): Id of the segment, such as SEGMENT-00001.
            targeted (bool): Whether the segment is shown the flag, as opposed to no longer. Default: true.
            by_id (str, optional): Approver who does it, needed to target where changes need approval; an id such
                as PERSON-00001. If left out, nobody is named, which is enough elsewhere.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        environment = self.environments.get(environment_id)
        if environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        segment = self.segments.get(segment_id)
        if segment is None:
            return _refused(f"There is no segment {segment_id!r}.")
        by = self.people.get(by_id) if by_id is not None else None
        if by_id is not None and by is None:
            return _refused(f"There is no person {by_id!r}.")
        if flag["status"] != "live":
            return _refused(f"{flag['key']} is archived.")
        if not (not environment["by_schedule"] or not targeted or by_id is not None and by["approver"]):
            return _refused(
                f"{environment['name']} is only changed with approval, so an approver must target segments there."
            )
        setting = next(
            (
                s
                for s in sorted(
                    self._settings_by_flag_environment.get((flag_id, environment_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if setting is None:
            return _refused(f"{flag['key']} has no setting in {environment['name']}.")
        if targeted != (segment_id not in setting["segment_ids"]):
            return _refused(f"For {segment['name']} it is as wanted already.")
        if targeted and len(segment["member_ids"]) <= 0:
            return _refused(f"{segment['name']} has no members yet.")
        self._journal = []
        self._put(
            "settings",
            setting,
            "segment_ids",
            [
                record["id"]
                for record in [
                    g
                    for g in _those(self.segments, [*setting["segment_ids"], segment_id])
                    if (g["id"] in setting["segment_ids"] and g is not segment or g is segment and targeted)
                ]
            ],
        )
        self._put("settings", setting, "changed_at", self.now)
        return {
            "success": True,
            "message": f"Done: change whether {flag['key']} is shown to {segment['name']} in {environment['name']}.",
            "data": self._changes(),
        }

    def place_customer(
        self,
        segment_id: str,
        customer_id: str,
        place: Literal["member", "shut_out", "neither"],
    ) -> Result:
        """Make a customer a member of a segment, shut it out of it, or neither.

        Args:
            segment_id (str): Id of the segment, such as SEGMENT-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            place (str): What the customer is to the segment: member, shut_out or neither.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        segment = self.segments.get(segment_id)
        if segment is None:
            return _refused(f"There is no segment {segment_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if place == "member" and customer_id in segment["member_ids"]:
            return _refused(f"{customer['name']} is in {segment['name']} already.")
        if place == "shut_out" and customer_id in segment["shut_out_ids"]:
            return _refused(f"{customer['name']} is shut out of {segment['name']} already.")
        if (
            place == "neither"
            and customer_id not in segment["member_ids"]
            and customer_id not in segment["shut_out_ids"]
        ):
            return _refused(f"{segment['name']} does not mention {customer['name']}.")
        self._journal = []
        self._put(
            "segments",
            segment,
            "member_ids",
            [
                record["id"]
                for record in [
                    c
                    for c in _those(self.customers, [*segment["member_ids"], customer_id])
                    if (c["id"] in segment["member_ids"] and c is not customer or c is customer and place == "member")
                ]
            ],
        )
        self._put(
            "segments",
            segment,
            "shut_out_ids",
            [
                record["id"]
                for record in [
                    c
                    for c in _those(self.customers, [*segment["shut_out_ids"], customer_id])
                    if (
                        c["id"] in segment["shut_out_ids"]
                        and c is not customer
                        or c is customer
                        and place == "shut_out"
                    )
                ]
            ],
        )
        if self._breaks_rule_12(segment):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: place {customer['name']} as {place} in {segment['name']}.",
            "data": self._changes(),
        }

    def schedule_change(
        self,
        flag_id: str,
        environment_id: str,
        percent: Annotated[int, {"minimum": 0, "maximum": 100}],
        due_at: DateTime,
        by_id: str,
    ) -> Result:
        """Schedule a change of a flag's percentage in an environment; 0 percent switches it off.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.
            environment_id (str): Id of the environment, such as ENVIRONMENT-00001.
            percent (int): Part of the customers who then see it, in percent, 0 switching it off, from 0 to 100.
            due_at (str): Moment at which the change is due, after now, as YYYY-MM-DDTHH:MM.
            by_id (str): Person who asks for the change and may not approve it later; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        environment = self.environments.get(environment_id)
        if environment is None:
            return _refused(f"There is no environment {environment_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if flag["status"] != "live":
            return _refused(f"{flag['key']} is archived.")
        if due_at <= self.now:
            return _refused(f"{due_at} is past.")
        setting = next(
            (
                s
                for s in sorted(
                    self._settings_by_flag_environment.get((flag_id, environment_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if setting is None:
            return _refused(f"{flag['key']} has no setting in {environment['name']}.")
        if percent == setting["percent"]:
            return _refused(f"{flag['key']} is at {percent} percent in {environment['name']} already.")
        if flag["kind"] == "kill_switch" and percent not in (0, 100):
            return _refused(f"{flag['key']} is a kill switch, so it is for everybody or nobody.")
        other = self._open_change(setting)
        if other is not None:
            return _refused(
                f"A change to {other['percent']} percent at {other['due_at']} is {other['status']}, so withdraw "
                "that first."
            )
        self._journal = []
        change: Change = {
            "id": self._new_id("change", "CHANGE", self.changes),
            "setting_id": setting["id"],
            "percent": percent,
            "due_at": due_at,
            "asked_by_id": by_id,
            "approved_by_id": None,
            "applied_at": None,
            "status": "waiting",
        }
        self._add("changes", change)
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c(change):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c_again(change):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: schedule {percent} percent for {flag['key']} in {environment['name']} at {due_at} as "
                f"{by['name']} (new: change {change['id']})."
            ),
            "data": {"change_id": change["id"], **self._changes()},
        }

    def approve_change(self, change_id: str, by_id: str) -> Result:
        """Approve a scheduled change.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            by_id (str): Approver other than whoever asked for the change; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if change["status"] != "waiting":
            return _refused(f"The change is {change['status']}.")
        if not by["approver"]:
            return _refused(f"{by['name']} is not an approver.")
        if by_id == change["asked_by_id"]:
            return _refused(f"{by['name']} asked for the change, so somebody else must approve it.")
        self._journal = []
        self._put("changes", change, "approved_by_id", by_id)
        self._put("changes", change, "status", "approved")
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c(change):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c_again(change):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: approve the change of {self.flags[self.settings[change['setting_id']]['flag_id']]['key']} "
                f"in {self.environments[self.settings[change['setting_id']]['environment_id']]['name']} as "
                f"{by['name']}."
            ),
            "data": self._changes(),
        }

    def apply_change(self, change_id: str) -> Result:
        """Apply an approved change that is due.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] != "approved":
            return _refused(f"The change is {change['status']}.")
        if change["due_at"] > self.now:
            return _refused(f"The change is due at {change['due_at']}.")
        flag = self.flags[self.settings[change["setting_id"]]["flag_id"]]
        environment = self.environments[self.settings[change["setting_id"]]["environment_id"]]
        if flag["status"] != "live":
            return _refused(f"{flag['key']} is archived.")
        if not (change["percent"] == 0 or self._ready_in(flag, self.environments.get(environment["after_id"]))):
            return _refused(f"{flag['key']} is still off in the environment before {environment['name']}.")
        base = self._too_narrow(flag, environment, change["percent"])
        if base is not None:
            return _refused(
                f"{flag['key']} needs {base['key']}, which is at {self._width(base, environment)} percent in "
                f"{environment['name']}."
            )
        top = self._too_wide(flag, environment, change["percent"])
        if top is not None:
            return _refused(
                f"{top['key']} needs {flag['key']} and is at {self._width(top, environment)} percent in "
                f"{environment['name']}."
            )
        if change["percent"] != 0 and self._crowd(flag, environment) + change["percent"] > 100:
            return _refused(
                f"The other experiments of that layer take {self._crowd(flag, environment)} percent of "
                f"{environment['name']}."
            )
        later = self._later_on(flag, environment)
        if change["percent"] <= 0 and later is not None:
            return _refused(f"{flag['key']} is still on in {later['name']}.")
        self._journal = []
        setting = self.settings[change["setting_id"]]
        self._put("settings", setting, "percent", change["percent"])
        its_setting = self.settings[change["setting_id"]]
        self._put("settings", its_setting, "on", change["percent"] > 0)
        its_setting_2 = self.settings[change["setting_id"]]
        self._put("settings", its_setting_2, "changed_at", self.now)
        self._put("changes", change, "applied_at", self.now)
        self._put("changes", change, "status", "applied")
        for one_setting in _distinct(
            [
                setting,
                its_setting,
                *[
                    user
                    for one in self._flags_by_needs.get(setting["flag_id"], {}).values()
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in self._flags_by_needs.get(its_setting["flag_id"], {}).values()
                    for user in self._settings_by_flag.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_setting):
                return self._take_back(RULES[2])
        for one_setting in _distinct([its_setting, *self._settings_by_flag.get(its_setting["flag_id"], {}).values()]):
            if self._breaks_rule_4(one_setting):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(setting):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(its_setting):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(setting):
            return self._take_back(RULES[5])
        for one_setting in _distinct(
            [
                its_setting,
                *self._settings_by_environment.get(setting["environment_id"], {}).values(),
                *self._settings_by_environment.get(its_setting["environment_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_setting):
                return self._take_back(RULES[6])
        if self._breaks_rule_9_s(its_setting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c_again(change):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: apply the change of {self.flags[self.settings[change['setting_id']]['flag_id']]['key']} "
                f"in {self.environments[self.settings[change['setting_id']]['environment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def withdraw_change(self, change_id: str) -> Result:
        """Withdraw a change that has not been applied.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] not in ("waiting", "approved"):
            return _refused(f"The change is {change['status']}.")
        self._journal = []
        self._put("changes", change, "status", "withdrawn")
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c_again(change):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                "Done: withdraw the change of "
                f"{self.flags[self.settings[change['setting_id']]['flag_id']]['key']} in "
                f"{self.environments[self.settings[change['setting_id']]['environment_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def archive_flag(self, flag_id: str) -> Result:
        """Archive a flag that is off everywhere and that no other live flag needs.

        Args:
            flag_id (str): Id of the flag, such as FLAG-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flag = self.flags.get(flag_id)
        if flag is None:
            return _refused(f"There is no flag {flag_id!r}.")
        if flag["status"] != "live":
            return _refused(f"{flag['key']} is archived already.")
        if self._flag_on_in(flag) != 0:
            return _refused(f"{flag['key']} is still on in {self._flag_on_in(flag)} environments, so switch it off.")
        top = next(
            (f for f in sorted(self._flags_by_needs.get(flag_id, {}).values(), key=_age) if f["status"] == "live"),
            None,
        )
        if top is not None:
            return _refused(f"{top['key']} needs {flag['key']}.")
        if any(
            c["status"] in ("waiting", "approved")
            for _setting in self._settings_by_flag.get(flag_id, {}).values()
            for c in self._changes_by_setting.get(_setting["id"], {}).values()
        ):
            return _refused(f"There are changes ahead for {flag['key']}, so withdraw them.")
        self._journal = []
        self._put("flags", flag, "status", "archived")
        for one_setting in _distinct(self._settings_by_flag.get(flag["id"], {}).values()):
            if self._breaks_rule_9_s(one_setting):
                return self._take_back(RULES[8])
        for one_flag in _distinct([flag, *self._flags_by_needs.get(flag["id"], {}).values()]):
            if self._breaks_rule_9_f(one_flag):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: archive {flag['key']}.", "data": self._changes()}

    def _show_flag(self, flag: Flag) -> dict[str, Any]:
        """The flag as an answer shows it."""
        return {**flag, "need_ids": [*flag["need_ids"]], "on_in": self._flag_on_in(flag)}

    def _show_setting(self, setting: Setting) -> dict[str, Any]:
        """The setting as an answer shows it."""
        return {**setting, "segment_ids": [*setting["segment_ids"]]}

    def _show_segment(self, segment: Segment) -> dict[str, Any]:
        """The segment as an answer shows it."""
        return {**segment, "member_ids": [*segment["member_ids"]], "shut_out_ids": [*segment["shut_out_ids"]]}

    def _names_of_environments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that environments point to."""
        return _names((self.environments, "name", [row["after_id"] for row in shown]))

    def _names_of_flags(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that flags point to."""
        return _names(
            (self.people, "name", [row["owner_id"] for row in shown]),
            (self.flags, "key", [each for row in shown for each in row["need_ids"]]),
        )

    def _names_of_settings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that settings point to."""
        return _names(
            (self.flags, "key", [row["flag_id"] for row in shown]),
            (self.environments, "name", [row["environment_id"] for row in shown]),
            (self.segments, "name", [each for row in shown for each in row["segment_ids"]]),
        )

    def _names_of_segments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that segments point to."""
        return _names(
            (self.customers, "name", [each for row in shown for each in row["member_ids"]]),
            (self.customers, "name", [each for row in shown for each in row["shut_out_ids"]]),
        )

    def _names_of_changes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that changes point to."""
        return _names(
            (self.people, "name", [row["asked_by_id"] for row in shown]),
            (self.people, "name", [row["approved_by_id"] for row in shown]),
        )

    def _flag_on_in(self, flag: Flag) -> int:
        """The on in of a flag."""
        return sum(1 for s in self._settings_by_flag.get(flag["id"], {}).values() if s["on"])

    def _width(self, f: Flag, e: Environment) -> int:
        return sum(
            s["percent"]
            for s in self._settings_by_flag_environment.get((f["id"], e["id"]), {}).values()
            if s["on"]
        )

    def _too_narrow(self, f: Flag, e: Environment, percent: int) -> Flag | None:
        return next((n for n in [self.flags[key] for key in f["need_ids"]] if self._width(n, e) < percent), None)

    def _too_wide(self, f: Flag, e: Environment, percent: int) -> Flag | None:
        return next(
            (
                g
                for g in sorted(self._flags_by_needs.get(f["id"], {}).values(), key=_age)
                if self._width(g, e) > percent
            ),
            None,
        )

    def _crowd(self, f: Flag, e: Environment) -> int:
        return sum(
            self._width(g, e)
            for g in self.flags.values()
            if g is not f
            and f["layer"] is not None
            and g["layer"] == f["layer"]
        )

    def _ready_in(self, f: Flag, e: Environment | None) -> bool:
        return e is None or self._width(f, e) > 0

    def _open_change(self, s: Setting) -> Change | None:
        return next(
            (
                c
                for c in sorted(self._changes_by_setting.get(s["id"], {}).values(), key=_age)
                if c["status"] in ("waiting", "approved")
            ),
            None,
        )

    def _later_on(self, f: Flag, e: Environment) -> Environment | None:
        return next(
            (
                x
                for x in sorted(self._environments_by_after.get(e["id"], {}).values(), key=_age)
                if self._width(f, x) > 0
            ),
            None,
        )

    def _possible(self, c: Change) -> bool:
        return (
            self._too_narrow(
                self.flags[self.settings[c["setting_id"]]["flag_id"]],
                self.environments[self.settings[c["setting_id"]]["environment_id"]],
                c["percent"],
            ) is None
            and self._too_wide(
                self.flags[self.settings[c["setting_id"]]["flag_id"]],
                self.environments[self.settings[c["setting_id"]]["environment_id"]],
                c["percent"],
            ) is None
            and (
                self._ready_in(
                    self.flags[self.settings[c["setting_id"]]["flag_id"]],
                    self.environments.get(
                        self.environments[self.settings[c["setting_id"]]["environment_id"]]["after_id"]
                    ),
                )
                and self._crowd(
                    self.flags[self.settings[c["setting_id"]]["flag_id"]],
                    self.environments[self.settings[c["setting_id"]]["environment_id"]],
                ) + c["percent"] <= 100
                if c["percent"] > 0
                else self._later_on(
                    self.flags[self.settings[c["setting_id"]]["flag_id"]],
                    self.environments[self.settings[c["setting_id"]]["environment_id"]],
                ) is None
            )
        )

    def _shows(self, s: Setting, c: Customer) -> bool:
        return (
            s["on"]
            and not any(c["id"] in g["shut_out_ids"] for g in [self.segments[key] for key in s["segment_ids"]])
            and (
                any(c["id"] in g["member_ids"] for g in [self.segments[key] for key in s["segment_ids"]])
                or _bucket(self.flags[s["flag_id"]]["key"], c["name"]) < s["percent"]
            )
        )

    def _sees(self, f: Flag, e: Environment, c: Customer) -> bool:
        return all(
            self._shows(s, c)
            for s in self._settings_by_environment.get(e["id"], {}).values()
            if (s["flag_id"] == f["id"] or self.flags[s["flag_id"]] in _above(self.flags, f, "need_ids"))
        )

    def _breaks_rule_1(self, s: Setting) -> bool:
        """Whether this is broken: a flag has one setting in an environment."""
        return any(
            other_s is not s
            for other_s in self._settings_by_flag_environment.get((s["flag_id"], s["environment_id"]), {}).values()
        )

    def _breaks_rule_2(self, f: Flag) -> bool:
        """Whether this is broken: the prerequisites of flags never go round in a circle."""
        return not (
            f not in _above(self.flags, f, "need_ids")
            and _different([n["id"] for n in [self.flags[key] for key in f["need_ids"]]])
        )

    def _breaks_rule_3(self, s: Setting) -> bool:
        """Whether this is broken: where a flag is on, each of its prerequisites is on and rolled out at least as far.
        """
        return (
            s["on"]
            and any(
                not any(
                    p["on"]
                    and p["percent"] >= s["percent"]
                    for p in self._settings_by_flag_environment.get((n["id"], s["environment_id"]), {}).values()
                )
                for n in [self.flags[key] for key in self.flags[s["flag_id"]]["need_ids"]]
            )
        )

    def _breaks_rule_4(self, s: Setting) -> bool:
        """Whether this is broken: a flag is on in an environment only while it is on in the one before."""
        return (
            s["on"]
            and not (
                self.environments[s["environment_id"]]["after_id"] is None
                or any(
                    o["on"]
                    for o in self._settings_by_flag_environment.get(
                        (s["flag_id"], self.environments[s["environment_id"]]["after_id"]),
                        {},
                    ).values()
                )
            )
        )

    def _breaks_rule_5(self, s: Setting) -> bool:
        """Whether this is broken: a flag that is on reaches somebody, and one that is off has no percentage."""
        return s["on"] != (s["percent"] > 0)

    def _breaks_rule_6_s(self, s: Setting) -> bool:
        """Whether this is broken: a kill switch is rolled out to everybody or to nobody, and no flag needs one."""
        return self.flags[s["flag_id"]]["kind"] == "kill_switch" and s["percent"] not in (0, 100)

    def _breaks_rule_6_f(self, f: Flag) -> bool:
        """Whether this is broken: a kill switch is rolled out to everybody or to nobody, and no flag needs one."""
        return any(n["kind"] == "kill_switch" for n in [self.flags[key] for key in f["need_ids"]])

    def _breaks_rule_7(self, s: Setting) -> bool:
        """Whether this is broken: the experiments of a layer never take more than all of the traffic of an
        environment.
        """
        return (
            s["on"]
            and self.flags[s["flag_id"]]["layer"] is not None
            and sum(
                o["percent"]
                for o in self._settings_by_environment.get(s["environment_id"], {}).values()
                if self.flags[o["flag_id"]]["layer"] == self.flags[s["flag_id"]]["layer"]
                and o["on"]
            ) > 100
        )

    def _breaks_rule_8(self, f: Flag) -> bool:
        """Whether this is broken: experiments have a layer, and nothing else has one."""
        return (f["layer"] is not None) != (f["kind"] == "experiment")

    def _breaks_rule_9_s(self, s: Setting) -> bool:
        """Whether this is broken: an archived flag is off everywhere and no live flag needs it."""
        return s["on"] and self.flags[s["flag_id"]]["status"] == "archived"

    def _breaks_rule_9_f(self, f: Flag) -> bool:
        """Whether this is broken: an archived flag is off everywhere and no live flag needs it."""
        return (
            f["status"] == "live"
            and any(n["status"] != "live" for n in [self.flags[key] for key in f["need_ids"]])
        )

    def _breaks_rule_10(self, c: Change) -> bool:
        """Whether this is broken: a setting has at most one change ahead."""
        return (
            c["status"] in ("waiting", "approved")
            and any(
                other_c is not c
                for other_c in self._changes_by_setting.get(c["setting_id"], {}).values()
                if other_c["status"] in ("waiting", "approved")
            )
        )

    def _breaks_rule_11_c(self, c: Change) -> bool:
        """Whether this is broken: a change is approved by an approver who did not ask for it."""
        return not (
            c["approved_by_id"] is None
            or c["approved_by_id"] != c["asked_by_id"]
            and self.people[c["approved_by_id"]]["approver"]
        )

    def _breaks_rule_11_c_again(self, c: Change) -> bool:
        """Whether this is broken: a change is approved by an approver who did not ask for it."""
        return c["status"] in ("approved", "applied") and c["approved_by_id"] is None

    def _breaks_rule_12(self, g: Segment) -> bool:
        """Whether this is broken: no customer is both in a segment and shut out of it."""
        return any(c["id"] in g["shut_out_ids"] for c in [self.customers[key] for key in g["member_ids"]])

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
            case "environments":
                self._environments_by_after.setdefault(record["after_id"], {})[record["id"]] = record
            case "flags":
                self._flags_by_key.setdefault(record["key"], {})[record["id"]] = record
                self._flags_by_lower_key.setdefault(record["key"].lower(), {})[record["id"]] = record
                for key in record["need_ids"]:
                    self._flags_by_needs.setdefault(key, {})[record["id"]] = record
            case "settings":
                self._settings_by_environment.setdefault(record["environment_id"], {})[record["id"]] = record
                self._settings_by_flag.setdefault(record["flag_id"], {})[record["id"]] = record
                self._settings_by_flag_environment.setdefault(
                    (record["flag_id"], record["environment_id"]),
                    {},
                )[record["id"]] = record
            case "segments":
                for key in record["member_ids"]:
                    self._segments_by_members.setdefault(key, {})[record["id"]] = record
                for key in record["shut_out_ids"]:
                    self._segments_by_shut_out.setdefault(key, {})[record["id"]] = record
            case "changes":
                self._changes_by_setting.setdefault(record["setting_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "environments":
                del self._environments_by_after[record["after_id"]][record["id"]]
            case "flags":
                del self._flags_by_key[record["key"]][record["id"]]
                del self._flags_by_lower_key[record["key"].lower()][record["id"]]
                for key in record["need_ids"]:
                    self._flags_by_needs[key].pop(record["id"], None)
            case "settings":
                del self._settings_by_environment[record["environment_id"]][record["id"]]
                del self._settings_by_flag[record["flag_id"]][record["id"]]
                del self._settings_by_flag_environment[record["flag_id"], record["environment_id"]][record["id"]]
            case "segments":
                for key in record["member_ids"]:
                    self._segments_by_members[key].pop(record["id"], None)
                for key in record["shut_out_ids"]:
                    self._segments_by_shut_out[key].pop(record["id"], None)
            case "changes":
                del self._changes_by_setting[record["setting_id"]][record["id"]]
