"""Key-value store. Compiled from blueprint.yaml; run `envscaler build key_value_store` after changing it there.

Keeps the settings and the coordination of many services in a key-value store, with namespaces and quotas,
versions, leases that run out, locks with a queue and access grants.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A namespace has one key of a name.",
    "What a namespace and everything below it hold stays within its quota.",
    "A namespace never hands out more quota to those inside it than it has itself.",
    "Only so many old versions of a key are kept as its namespace says.",
    "Old versions have numbers of their own below that of the key.",
    "Keys hang on active leases only.",
    "A lease carries at most four keys.",
    "A lock is held through an active lease and only active leases wait for it.",
    "Nobody waits for a lock that is free.",
    "A lease waits for a lock once and never for one it holds.",
    "A service has one grant for a namespace.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "put_key",
    "delete_key",
    "roll_back",
    "take_lease",
    "renew_lease",
    "end_lease",
    "acquire_lock",
    "release_lock",
    "grant_access",
    "revoke_access",
    "resize_namespace",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "services": ("name",),
    "namespaces": ("name",),
    "grants": (),
    "leases": (),
    "entries": ("name",),
    "revisions": (),
    "locks": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("entries", "lease_id"),
    ("entries", "space_id"),
    ("grants", "service_id"),
    ("grants", "space_id"),
    ("leases", "holder_id"),
    ("leases", "status"),
    ("locks", "lease_id"),
    ("locks", "waiting_ids"),
    ("namespaces", "within_id"),
    ("revisions", "entry_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Service(TypedDict):
    id: str
    name: str
    on_call: str


class Namespace(TypedDict):
    id: str
    name: str
    within_id: str | None
    quota: int
    keeps: int


class Grant(TypedDict):
    id: str
    service_id: str
    space_id: str
    level: Literal["read", "write", "admin"]
    until: str | None


class Lease(TypedDict):
    id: str
    holder_id: str
    purpose: str
    expires_at: str
    status: Literal["active", "ended"]


class Entry(TypedDict):
    id: str
    space_id: str
    name: str
    value: str
    version: int
    lease_id: str | None
    written_by_id: str
    written_at: str


class Revision(TypedDict):
    id: str
    entry_id: str
    version: int
    value: str
    written_by_id: str
    written_at: str


class Lock(TypedDict):
    id: str
    name: str
    space_id: str
    lease_id: str | None
    waiting_ids: list[str]
    fence: int


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


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


class KeyValueStore:
    """Keeps the settings and the coordination of many services in a key-value store, with namespaces and
    quotas, versions, leases that run out, locks with a queue and access grants.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.services: dict[str, Service] = _copied(config.get("services", {}))
        self.namespaces: dict[str, Namespace] = _copied(config.get("namespaces", {}))
        self.grants: dict[str, Grant] = _copied(config.get("grants", {}))
        self.leases: dict[str, Lease] = _copied(config.get("leases", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.revisions: dict[str, Revision] = _copied(config.get("revisions", {}))
        self.locks: dict[str, Lock] = _copied(config.get("locks", {}))
        self.now: str = config.get("now", "2026-06-09T11:40")
        self.counters: dict[str, int] = {
            "service": len(self.services),
            "namespace": len(self.namespaces),
            "grant": len(self.grants),
            "lease": len(self.leases),
            "entry": len(self.entries),
            "revision": len(self.revisions),
            "lock": len(self.locks),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._namespaces_by_within: dict[Any, dict[str, Namespace]] = {}
        self._grants_by_service: dict[Any, dict[str, Grant]] = {}
        self._grants_by_service_space: dict[Any, dict[str, Grant]] = {}
        self._leases_by_holder_status: dict[Any, dict[str, Lease]] = {}
        self._entries_by_lease: dict[Any, dict[str, Entry]] = {}
        self._entries_by_space: dict[Any, dict[str, Entry]] = {}
        self._revisions_by_entry: dict[Any, dict[str, Revision]] = {}
        self._locks_by_lease: dict[Any, dict[str, Lock]] = {}
        self._locks_by_waiting: dict[Any, dict[str, Lock]] = {}
        for namespace in self.namespaces.values():
            self._link("namespaces", namespace)
        for grant in self.grants.values():
            self._link("grants", grant)
        for lease in self.leases.values():
            self._link("leases", lease)
        for entry in self.entries.values():
            self._link("entries", entry)
        for revision in self.revisions.values():
            self._link("revisions", revision)
        for lock in self.locks.values():
            self._link("locks", lock)

    def access_of(self, service_id: str, space_id: str) -> Result:
        """What a service may do in a namespace today, and through which grants.

        Args:
            service_id (str): Id of the service, such as SERVICE-00001.
            space_id (str): Namespace to look at; an id such as NAMESPACE-00001.

        Returns:
            dict: {"success": True, "data": {may_read, may_write, is_admin, grants}} or {"success": False, "error":
                why not}
        """
        service = self.services.get(service_id)
        if service is None:
            return _refused(f"There is no service {service_id!r}.")
        space = self.namespaces.get(space_id)
        if space is None:
            return _refused(f"There is no namespace {space_id!r}.")
        return _found(
            {
                "may_read": any(
                    self._valid(g)
                    and self._covers(g, space)
                    for g in self._grants_by_service.get(service_id, {}).values()
                ),
                "may_write": self._may_write(service, space),
                "is_admin": self._may_rule(service, space),
                "grants": [
                    record["id"]
                    for record in [
                        g
                        for g in sorted(self._grants_by_service.get(service_id, {}).values(), key=_age)
                        if self._covers(g, space)
                        and self._valid(g)
                    ]
                ],
            }
        )

    def room_for(self, space_id: str, name: Text, value: Text) -> Result:
        """How many bytes writing a value would take, and what is free in the namespace and in those around it.

        Args:
            space_id (str): Namespace where the value would be written; an id such as NAMESPACE-00001.
            name (str): Name of the key, new or existing.
            value (str): Text that the key would hold.

        Returns:
            dict: {"success": True, "data": {more_bytes, free, free_around, fits, bytes_lacking_here}} or
                {"success": False, "error": why not}
        """
        space = self.namespaces.get(space_id)
        if space is None:
            return _refused(f"There is no namespace {space_id!r}.")
        return _found(
            {
                "more_bytes": len(name) + len(value) - self._size_at(space, name),
                "free": space["quota"] - self._namespace_used(space),
                "free_around": [
                    *[o["quota"] - self._namespace_used(o) for o in _above(self.namespaces, space, "within_id")]
                ],
                "fits": self._full(space, len(name) + len(value) - self._size_at(space, name)) is None,
                "bytes_lacking_here": max(
                    0,
                    self._namespace_used(space) + len(name) + len(value) - self._size_at(
                        space,
                        name,
                    ) - space["quota"],
                ),
            }
        )

    def leases_run_out(
        self,
        holder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Active leases whose time is over and that somebody should end, the oldest first.

        Args:
            holder_id (str, optional): Service that holds the leases; an id such as SERVICE-00001. If left out, the
                leases of all services are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leases": records}} or {"success": False, "error": why
                not}
        """
        holder = self.services.get(holder_id) if holder_id is not None else None
        if holder_id is not None and holder is None:
            return _refused(f"There is no service {holder_id!r}.")
        found = [
            l
            for l in self.leases.values()
            if (l["status"] == "active" and l["expires_at"] <= self.now)
            and (holder_id is None or l["holder_id"] == holder_id)
        ]
        found.sort(key=lambda l: (l["expires_at"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "leases": [
                    {
                        "id": l["id"],
                        "holder": self.services[l["holder_id"]]["name"],
                        "purpose": l["purpose"],
                        "expires_at": l["expires_at"],
                        "keys": [
                            *[k["name"] for k in sorted(self._entries_by_lease.get(l["id"], {}).values(), key=_age)]
                        ],
                        "locks": [
                            *[x["name"] for x in sorted(self._locks_by_lease.get(l["id"], {}).values(), key=_age)]
                        ],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def queue_of(self, lock_id: str) -> Result:
        """Who holds a lock and who waits for it, in order.

        Args:
            lock_id (str): Id of the lock, such as LOCK-00001.

        Returns:
            dict: {"success": True, "data": {held_through, held_by, runs_out_at, waiting, fence}} or {"success":
                False, "error": why not}
        """
        lock = self.locks.get(lock_id)
        if lock is None:
            return _refused(f"There is no lock {lock_id!r}.")
        return _found(
            {
                "held_through": lock["lease_id"],
                "held_by": self.services[
                    self.leases[lock["lease_id"]]["holder_id"]
                ]["name"] if lock["lease_id"] is not None else None,
                "runs_out_at": self.leases[lock["lease_id"]]["expires_at"] if lock["lease_id"] is not None else None,
                "waiting": [
                    *[
                        self.services[l["holder_id"]]["name"]
                        for l in [self.leases[key] for key in lock["waiting_ids"]]
                    ]
                ],
                "fence": lock["fence"],
            }
        )

    def list_services(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the services, oldest first, all of them or only some.

        Args:
            name (str, optional): Only services whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "services": records}}
        """
        found = [
            service
            for service in self.services.values()
            if (name is None or name.casefold() in service["name"].casefold())
        ]
        return _found({"total": len(found), "services": [{**service} for service in _page(found, offset)]})

    def list_namespaces(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the namespaces, oldest first, all of them or only some.

        Args:
            name (str, optional): Only namespaces whose name contains this text.
            within_id (str, optional): Only namespaces within this namespace.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "namespaces": records}}
        """
        if within_id is not None and within_id not in self.namespaces:
            return _refused(f"There is no namespace {within_id!r}.")
        found = [
            namespace
            for namespace in self.namespaces.values()
            if (name is None or name.casefold() in namespace["name"].casefold())
            and (within_id is None or namespace["within_id"] == within_id)
        ]
        shown = [self._show_namespace(namespace) for namespace in _page(found, offset)]
        return _found({"total": len(found), "namespaces": shown}, self._names_of_namespaces(shown))

    def list_grants(
        self,
        service_id: str | None = None,
        space_id: str | None = None,
        level: Literal["read", "write", "admin"] | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the grants, oldest first, all of them or only some.

        Args:
            service_id (str, optional): Only grants of this service.
            space_id (str, optional): Only grants whose space is this namespace.
            level (str, optional): Only grants with this level.
            until_from (str, optional): Only grants whose `until` is on this day or later.
            until_to (str, optional): Only grants whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "grants": records}}
        """
        if service_id is not None and service_id not in self.services:
            return _refused(f"There is no service {service_id!r}.")
        if space_id is not None and space_id not in self.namespaces:
            return _refused(f"There is no namespace {space_id!r}.")
        found = [
            grant
            for grant in self.grants.values()
            if (service_id is None or grant["service_id"] == service_id)
            and (space_id is None or grant["space_id"] == space_id)
            and (level is None or grant["level"] == level)
            and (until_from is None or (grant["until"] is not None and grant["until"] >= until_from))
            and (until_to is None or (grant["until"] is not None and grant["until"] <= until_to))
        ]
        shown = [{**grant} for grant in _page(found, offset)]
        return _found({"total": len(found), "grants": shown}, self._names_of_grants(shown))

    def list_leases(
        self,
        holder_id: str | None = None,
        status: Literal["active", "ended"] | None = None,
        expires_at_from: Date | None = None,
        expires_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leases, oldest first, all of them or only some.

        Args:
            holder_id (str, optional): Only leases whose holder is this service.
            status (str, optional): Only leases with this status.
            expires_at_from (str, optional): Only leases whose `expires_at` is on this day or later.
            expires_at_to (str, optional): Only leases whose `expires_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leases": records}}
        """
        if holder_id is not None and holder_id not in self.services:
            return _refused(f"There is no service {holder_id!r}.")
        found = [
            lease
            for lease in self.leases.values()
            if (holder_id is None or lease["holder_id"] == holder_id)
            and (status is None or lease["status"] == status)
            and (expires_at_from is None or lease["expires_at"][:10] >= expires_at_from)
            and (expires_at_to is None or lease["expires_at"][:10] <= expires_at_to)
        ]
        shown = [{**lease} for lease in _page(found, offset)]
        return _found({"total": len(found), "leases": shown}, self._names_of_leases(shown))

    def list_entries(
        self,
        name: Text | None = None,
        space_id: str | None = None,
        lease_id: str | None = None,
        written_by_id: str | None = None,
        written_at_from: Date | None = None,
        written_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            name (str, optional): Only entries whose name contains this text.
            space_id (str, optional): Only entries whose space is this namespace.
            lease_id (str, optional): Only entries of this lease.
            written_by_id (str, optional): Only entries written by this service.
            written_at_from (str, optional): Only entries whose `written_at` is on this day or later.
            written_at_to (str, optional): Only entries whose `written_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if space_id is not None and space_id not in self.namespaces:
            return _refused(f"There is no namespace {space_id!r}.")
        if lease_id is not None and lease_id not in self.leases:
            return _refused(f"There is no lease {lease_id!r}.")
        if written_by_id is not None and written_by_id not in self.services:
            return _refused(f"There is no service {written_by_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (name is None or name.casefold() in entry["name"].casefold())
            and (space_id is None or entry["space_id"] == space_id)
            and (lease_id is None or entry["lease_id"] == lease_id)
            and (written_by_id is None or entry["written_by_id"] == written_by_id)
            and (written_at_from is None or entry["written_at"][:10] >= written_at_from)
            and (written_at_to is None or entry["written_at"][:10] <= written_at_to)
        ]
        shown = [self._show_entry(entry) for entry in _page(found, offset)]
        return _found({"total": len(found), "entries": shown}, self._names_of_entries(shown))

    def list_revisions(
        self,
        entry_id: str | None = None,
        written_by_id: str | None = None,
        written_at_from: Date | None = None,
        written_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the revisions, oldest first, all of them or only some.

        Args:
            entry_id (str, optional): Only revisions of this entry.
            written_by_id (str, optional): Only revisions written by this service.
            written_at_from (str, optional): Only revisions whose `written_at` is on this day or later.
            written_at_to (str, optional): Only revisions whose `written_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "revisions": records}}
        """
        if entry_id is not None and entry_id not in self.entries:
            return _refused(f"There is no entry {entry_id!r}.")
        if written_by_id is not None and written_by_id not in self.services:
            return _refused(f"There is no service {written_by_id!r}.")
        found = [
            revision
            for revision in self.revisions.values()
            if (entry_id is None or revision["entry_id"] == entry_id)
            and (written_by_id is None or revision["written_by_id"] == written_by_id)
            and (written_at_from is None or revision["written_at"][:10] >= written_at_from)
            and (written_at_to is None or revision["written_at"][:10] <= written_at_to)
        ]
        shown = [{**revision} for revision in _page(found, offset)]
        return _found({"total": len(found), "revisions": shown}, self._names_of_revisions(shown))

    def list_locks(
        self,
        name: Text | None = None,
        space_id: str | None = None,
        lease_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the locks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only locks whose name contains this text.
            space_id (str, optional): Only locks whose space is this namespace.
            lease_id (str, optional): Only locks of this lease.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "locks": records}}
        """
        if space_id is not None and space_id not in self.namespaces:
            return _refused(f"There is no namespace {space_id!r}.")
        if lease_id is not None and lease_id not in self.leases:
            return _refused(f"There is no lease {lease_id!r}.")
        found = [
            lock
            for lock in self.locks.values()
            if (name is None or name.casefold() in lock["name"].casefold())
            and (space_id is None or lock["space_id"] == space_id)
            and (lease_id is None or lock["lease_id"] == lease_id)
        ]
        shown = [self._show_lock(lock) for lock in _page(found, offset)]
        return _found({"total": len(found), "locks": shown}, self._names_of_locks(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def put_key(
        self,
        by_id: str,
        space_id: str,
        name: Text,
        value: Text,
        expected_version: Annotated[int, {"minimum": 0, "maximum": 9999}] | None = None,
        lease_id: str | None = None,
    ) -> Result:
        """Write a value, as a new key or as the next version of an existing one, perhaps only if that is still at an
        expected version (0 where the key must not exist).

        Args:
            by_id (str): Service that writes, with write access to the namespace; an id such as SERVICE-00001.
            space_id (str): Namespace of the key; an id such as NAMESPACE-00001.
            name (str): Name of the key within the namespace.
            value (str): Text that the key is to hold.
            expected_version (int, optional): Version that the key must be at, 0 where it must not exist, from 0 to
                9999. If left out, it is written at any version.
            lease_id (str, optional): Running lease of the writing service, with which the key ends; an id such as
                LEASE-00001. If left out, the key stands without a lease, and loses one it had.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        space = self.namespaces.get(space_id)
        if space is None:
            return _refused(f"There is no namespace {space_id!r}.")
        lease = self.leases.get(lease_id) if lease_id is not None else None
        if lease_id is not None and lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if not self._may_write(by, space):
            return _refused(f"{by['name']} may not write to {space['name']}; an admin of it has to grant that.")
        old = self._key_at(space, name)
        if expected_version is not None and expected_version != (old["version"] if old is not None else 0):
            return _refused(f"The key is not at version {expected_version} any more, so read it again.")
        if lease_id is not None and lease["holder_id"] != by_id:
            return _refused(f"The lease belongs to {self.services[lease['holder_id']]['name']}.")
        if not (lease_id is None or self._alive(lease)):
            return _refused("The lease has run out, so a new one is needed.")
        if not (
            lease_id is None
            or old is not None
            and old["lease_id"] == lease_id
            or len(self._entries_by_lease.get(lease_id, {})) < 4
        ):
            return _refused("The lease carries four keys already.")
        if old is not None and old["value"] == value and old["lease_id"] == lease_id:
            return _refused(f"{name} says that already.")
        more = len(name) + len(value) - self._size_at(space, name)
        tight = self._full(space, more)
        if tight is not None:
            return _refused(
                f"{tight['name']} uses {self._namespace_used(tight)} of {tight['quota']} bytes and {more} more do "
                "not fit."
            )
        if old is not None and old["version"] >= 9999:
            return _refused(f"{name} has had too many versions.")
        self._journal = []
        added_entries: list[Any] = []
        deleted_revisions: list[Any] = []
        added_revisions: list[Any] = []
        changed_entries: list[Any] = []
        changed_entries_2: list[Any] = []
        changed_entries_3: list[Any] = []
        former_lease_ids: list[Any] = []
        if old is None:
            entry = {
                "id": self._new_id("entry", "ENTRY", self.entries),
                "space_id": space_id,
                "name": name,
                "value": value,
                "version": 1,
                "lease_id": lease_id,
                "written_by_id": by_id,
                "written_at": self.now,
            }
            self._add("entries", entry)
            added_entries.append(entry)
        else:
            for r in sorted(
                [
                    r
                    for r in self._revisions_by_entry.get(old["id"], {}).values()
                    if len(self._revisions_by_entry.get(old["id"], {})) >= space["keeps"]
                ],
                key=lambda r: (r["version"], _age(r)),
            )[:1]:
                if r["id"] in self.revisions:
                    self._remove("revisions", r)
                deleted_revisions.append(r)
            revision = {
                "id": self._new_id("revision", "REVISION", self.revisions),
                "entry_id": old["id"],
                "version": old["version"],
                "value": old["value"],
                "written_by_id": old["written_by_id"],
                "written_at": old["written_at"],
            }
            self._add("revisions", revision)
            added_revisions.append(revision)
            changed_entries.append(old)
            self._put("entries", old, "value", value)
            version = old["version"] + 1
            if not 1 <= version <= 9999:
                return self._take_back(f"The version of {old['name']} must be between 1 and 9999.")
            changed_entries_2.append(old)
            self._put("entries", old, "version", version)
            changed_entries_3.append(old)
            former_lease_ids.append(old["lease_id"])
            self._put("entries", old, "lease_id", lease_id)
            self._put("entries", old, "written_by_id", by_id)
            self._put("entries", old, "written_at", self.now)
        for one_entry in _distinct(added_entries):
            if self._breaks_rule_1(one_entry):
                return self._take_back(RULES[0])
        for one_namespace in _distinct(
            [
                *[self.namespaces[one["space_id"]] for one in added_entries],
                *[
                    user
                    for one in [self.namespaces[one["space_id"]] for one in added_entries]
                    for user in _above(self.namespaces, one, "within_id")
                ],
                *[self.namespaces[one["space_id"]] for one in changed_entries],
                *[
                    user
                    for one in [self.namespaces[one["space_id"]] for one in changed_entries]
                    for user in _above(self.namespaces, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_namespace):
                return self._take_back(RULES[1])
        for one_entry in _distinct(
            [
                *added_entries,
                *[self.entries[one["entry_id"]] for one in deleted_revisions],
                *[self.entries[one["entry_id"]] for one in added_revisions],
            ]
        ):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_revision in _distinct(added_revisions):
            if one_revision["id"] in self.revisions and self._breaks_rule_5_r(one_revision):
                return self._take_back(RULES[4])
        for one_revision in _distinct(
            [
                *added_revisions,
                *[user for one in changed_entries_2 for user in self._revisions_by_entry.get(one["id"], {}).values()],
            ]
        ):
            if one_revision["id"] in self.revisions and self._breaks_rule_5_r_again(one_revision):
                return self._take_back(RULES[4])
        for one_entry in _distinct([*added_entries, *changed_entries_3]):
            if self._breaks_rule_6(one_entry):
                return self._take_back(RULES[5])
        for one_lease in _distinct(
            [
                *[self.leases.get(one["lease_id"]) for one in added_entries],
                *[self.leases.get(one["lease_id"]) for one in changed_entries_3],
                *[self.leases.get(key) for key in former_lease_ids],
            ]
        ):
            if self._breaks_rule_7(one_lease):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: put {name} in {space['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def delete_key(self, by_id: str, key_id: str) -> Result:
        """Delete a key and its old versions.

        Args:
            by_id (str): Service that deletes, with write access to the namespace; an id such as SERVICE-00001.
            key_id (str): Key to delete; an id such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        key = self.entries.get(key_id)
        if key is None:
            return _refused(f"There is no entry {key_id!r}.")
        if not self._may_write(by, self.namespaces[key["space_id"]]):
            return _refused(
                f"{by['name']} may not write to {self.namespaces[key['space_id']]['name']}; an admin of it has to "
                "grant that."
            )
        self._journal = []
        deleted_revisions: list[Any] = []
        for r in sorted(self._revisions_by_entry.get(key_id, {}).values(), key=_age):
            if r["id"] in self.revisions:
                self._remove("revisions", r)
            deleted_revisions.append(r)
        if key["id"] in self.entries:
            self._remove("entries", key)
        users = len(self._revisions_by_entry.get(key["id"], {}))
        if users:
            return self._take_back(
                f"Entry {key['name']} is still used by {users} {'revision' if users == 1 else 'revisions'}."
            )
        for one_namespace in _distinct(
            [
                self.namespaces[key["space_id"]],
                *_above(self.namespaces, self.namespaces[key["space_id"]], "within_id"),
            ]
        ):
            if self._breaks_rule_2(one_namespace):
                return self._take_back(RULES[1])
        for one_entry in _distinct([self.entries.get(one["entry_id"]) for one in deleted_revisions]):
            if one_entry["id"] in self.entries and self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_revision in _distinct(self._revisions_by_entry.get(key["id"], {}).values()):
            if one_revision["id"] in self.revisions and self._breaks_rule_5_r_again(one_revision):
                return self._take_back(RULES[4])
        for one_lease in _distinct([self.leases.get(key["lease_id"])]):
            if self._breaks_rule_7(one_lease):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: delete {key['name']} from {self.namespaces[key['space_id']]['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def roll_back(self, by_id: str, revision_id: str) -> Result:
        """Write an old version of a key once more, as its newest version; the value in between is kept.

        Args:
            by_id (str): Service that writes, with write access to the namespace; an id such as SERVICE-00001.
            revision_id (str): Id of the revision, such as REVISION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        revision = self.revisions.get(revision_id)
        if revision is None:
            return _refused(f"There is no revision {revision_id!r}.")
        key = self.entries[revision["entry_id"]]
        value = revision["value"]
        if not self._may_write(by, self.namespaces[key["space_id"]]):
            return _refused(
                f"{by['name']} may not write to {self.namespaces[key['space_id']]['name']}; an admin of it has to "
                "grant that."
            )
        if value == key["value"]:
            return _refused(f"{key['name']} says the same at present.")
        if key["version"] >= 9999:
            return _refused(f"{key['name']} has had too many versions.")
        more = len(value) - len(key["value"])
        tight = self._full(self.namespaces[key["space_id"]], more)
        if tight is not None:
            return _refused(
                f"{tight['name']} uses {self._namespace_used(tight)} of {tight['quota']} bytes and {more} more do "
                "not fit."
            )
        done = f"roll {self.entries[revision['entry_id']]['name']} back to version {revision['version']} as {by['name']}"
        self._journal = []
        deleted_revisions: list[Any] = []
        before = key["value"]
        writer = self.services[key["written_by_id"]]
        at = key["written_at"]
        for r in sorted(
            [
                r
                for r in self._revisions_by_entry.get(key["id"], {}).values()
                if len(self._revisions_by_entry.get(key["id"], {})) >= self.namespaces[key["space_id"]]["keeps"]
            ],
            key=lambda r: (r["version"], _age(r)),
        )[:1]:
            if r["id"] in self.revisions:
                self._remove("revisions", r)
            deleted_revisions.append(r)
        new_revision: Revision = {
            "id": self._new_id("revision", "REVISION", self.revisions),
            "entry_id": key["id"],
            "version": key["version"],
            "value": before,
            "written_by_id": writer["id"],
            "written_at": at,
        }
        self._add("revisions", new_revision)
        self._put("entries", key, "value", value)
        version = key["version"] + 1
        if not 1 <= version <= 9999:
            return self._take_back(f"The version of {key['name']} must be between 1 and 9999.")
        self._put("entries", key, "version", version)
        self._put("entries", key, "written_by_id", by_id)
        self._put("entries", key, "written_at", self.now)
        for one_namespace in _distinct(
            [
                self.namespaces[key["space_id"]],
                *_above(self.namespaces, self.namespaces[key["space_id"]], "within_id"),
            ]
        ):
            if self._breaks_rule_2(one_namespace):
                return self._take_back(RULES[1])
        for one_entry in _distinct(
            [self.entries[new_revision["entry_id"]], *[self.entries[one["entry_id"]] for one in deleted_revisions]]
        ):
            if self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_revision in _distinct([new_revision]):
            if one_revision["id"] in self.revisions and self._breaks_rule_5_r(one_revision):
                return self._take_back(RULES[4])
        for one_revision in _distinct([new_revision, *self._revisions_by_entry.get(key["id"], {}).values()]):
            if one_revision["id"] in self.revisions and self._breaks_rule_5_r_again(one_revision):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: {done} (new: revision {new_revision['id']}).",
            "data": {"revision_id": new_revision["id"], **self._changes()},
        }

    def take_lease(
        self,
        holder_id: str,
        purpose: Text,
        minutes: Annotated[int, {"minimum": 5, "maximum": 10080}],
    ) -> Result:
        """Give a service a lease for some minutes.

        Args:
            holder_id (str): Service that gets the lease; an id such as SERVICE-00001.
            purpose (str): What the lease is for.
            minutes (int): Length of the lease, in minutes, from 5 to 10080.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        holder = self.services.get(holder_id)
        if holder is None:
            return _refused(f"There is no service {holder_id!r}.")
        if any(
            l["purpose"].lower() == purpose.lower()
            for l in self._leases_by_holder_status.get((holder_id, "active"), {}).values()
        ):
            return _refused(f"{holder['name']} has a lease for {purpose} that was not ended.")
        self._journal = []
        lease: Lease = {
            "id": self._new_id("lease", "LEASE", self.leases),
            "holder_id": holder_id,
            "purpose": purpose,
            "expires_at": _plus_minutes(self.now, minutes),
            "status": "active",
        }
        self._add("leases", lease)
        if self._breaks_rule_7(lease):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: give {holder['name']} a lease of {minutes} minutes for {purpose} (new: lease {lease['id']})."
            ),
            "data": {"lease_id": lease["id"], **self._changes()},
        }

    def renew_lease(
        self,
        lease_id: str,
        by_id: str,
        minutes: Annotated[int, {"minimum": 5, "maximum": 10080}],
    ) -> Result:
        """Let a lease that has not run out last for some minutes from now, as its holder.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            by_id (str): Service that holds the lease; an id such as SERVICE-00001.
            minutes (int): Time the lease lasts from now on, in minutes, longer than what is left, from 5 to 10080.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        if by_id != lease["holder_id"]:
            return _refused(
                f"The lease belongs to {self.services[lease['holder_id']]['name']}, so {by['name']} cannot renew it."
            )
        if lease["status"] != "active":
            return _refused("The lease has ended.")
        if lease["expires_at"] <= self.now:
            return _refused(
                f"The lease ran out at {lease['expires_at']} and cannot be renewed, so end it and take another."
            )
        if _plus_minutes(self.now, minutes) <= lease["expires_at"]:
            return _refused(f"The lease lasts until {lease['expires_at']} anyway.")
        self._journal = []
        self._put("leases", lease, "expires_at", _plus_minutes(self.now, minutes))
        return {
            "success": True,
            "message": f"Done: renew {self.services[lease['holder_id']]['name']}'s lease for {minutes} minutes.",
            "data": self._changes(),
        }

    def end_lease(self, lease_id: str, by_id: str | None = None) -> Result:
        """End a lease, as its holder while it is running and by anybody once it has run out; its keys go, its locks
        pass to the next lease in line that has not run out, and it waits for nothing any more.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            by_id (str, optional): Service that ends it, the holder while the lease is running; an id such as
                SERVICE-00001. If left out, nobody is named, which is enough once the lease has run out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        by = self.services.get(by_id) if by_id is not None else None
        if by_id is not None and by is None:
            return _refused(f"There is no service {by_id!r}.")
        if lease["status"] != "active":
            return _refused("The lease has ended already.")
        if not (not self._alive(lease) or by_id is not None and by_id == lease["holder_id"]):
            return _refused(
                f"The lease runs until {lease['expires_at']}; until then only "
                f"{self.services[lease['holder_id']]['name']} ends it."
            )
        self._journal = []
        deleted_revisions: list[Any] = []
        deleted_entries: list[Any] = []
        changed_locks: list[Any] = []
        changed_locks_2: list[Any] = []
        for k in sorted(self._entries_by_lease.get(lease_id, {}).values(), key=_age):
            for r in sorted(self._revisions_by_entry.get(k["id"], {}).values(), key=_age):
                if r["id"] in self.revisions:
                    self._remove("revisions", r)
                deleted_revisions.append(r)
            if k["id"] in self.entries:
                self._remove("entries", k)
            deleted_entries.append(k)
        for x in sorted(self._locks_by_waiting.get(lease_id, {}).values(), key=_age):
            changed_locks.append(x)
            self._put(
                "locks",
                x,
                "waiting_ids",
                [
                    record["id"]
                    for record in [l for l in [self.leases[key] for key in x["waiting_ids"]] if l is not lease]
                ],
            )
        for x in sorted(self._locks_by_lease.get(lease_id, {}).values(), key=_age):
            after = self._heir(x, lease)
            changed_locks.append(x)
            self._put(
                "locks",
                x,
                "waiting_ids",
                [
                    record["id"]
                    for record in [
                        l
                        for l in [self.leases[key] for key in x["waiting_ids"]]
                        if l is not after
                        and self._alive(l)
                    ]
                ],
            )
            changed_locks_2.append(x)
            self._put("locks", x, "lease_id", after["id"] if after is not None else None)
            if after is not None:
                fence = x["fence"] + 1
                if not 0 <= fence <= 100000:
                    return self._take_back(f"The fence of {x['name']} must be between 0 and 100000.")
                self._put("locks", x, "fence", fence)
        self._put("leases", lease, "status", "ended")
        for one_entry in deleted_entries:
            users = len(self._revisions_by_entry.get(one_entry["id"], {}))
            if users:
                return self._take_back(
                    f"Entry {one_entry['name']} is still used by {users} {'revision' if users == 1 else 'revisions'}."
                )
        for one_namespace in _distinct(
            [
                *[self.namespaces[one["space_id"]] for one in deleted_entries],
                *[
                    user
                    for one in [self.namespaces[one["space_id"]] for one in deleted_entries]
                    for user in _above(self.namespaces, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_namespace):
                return self._take_back(RULES[1])
        for one_entry_2 in _distinct([self.entries.get(one["entry_id"]) for one in deleted_revisions]):
            if one_entry_2["id"] in self.entries and self._breaks_rule_4(one_entry_2):
                return self._take_back(RULES[3])
        for one_revision in _distinct(
            [user for one in deleted_entries for user in self._revisions_by_entry.get(one["id"], {}).values()]
        ):
            if one_revision["id"] in self.revisions and self._breaks_rule_5_r_again(one_revision):
                return self._take_back(RULES[4])
        for one_entry_2 in _distinct(self._entries_by_lease.get(lease["id"], {}).values()):
            if one_entry_2["id"] in self.entries and self._breaks_rule_6(one_entry_2):
                return self._take_back(RULES[5])
        for one_lease in _distinct([self.leases.get(one["lease_id"]) for one in deleted_entries]):
            if self._breaks_rule_7(one_lease):
                return self._take_back(RULES[6])
        for one_lock in _distinct([*changed_locks_2, *self._locks_by_lease.get(lease["id"], {}).values()]):
            if self._breaks_rule_8_x(one_lock):
                return self._take_back(RULES[7])
        for one_lock in _distinct([*changed_locks, *self._locks_by_waiting.get(lease["id"], {}).values()]):
            if self._breaks_rule_8_x_again(one_lock):
                return self._take_back(RULES[7])
        for one_lock in _distinct([*changed_locks, *changed_locks_2]):
            if self._breaks_rule_9(one_lock):
                return self._take_back(RULES[8])
        for one_lock in _distinct([*changed_locks, *changed_locks_2]):
            if self._breaks_rule_10(one_lock):
                return self._take_back(RULES[9])
        done = f"end {self.services[lease['holder_id']]['name']}'s lease"
        if by is not None:
            done += f" as {by['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def acquire_lock(self, lock_id: str, lease_id: str) -> Result:
        """Take a lock through a lease, or join the end of its queue where somebody holds it.

        Args:
            lock_id (str): Id of the lock, such as LOCK-00001.
            lease_id (str): Id of the lease, such as LEASE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lock = self.locks.get(lock_id)
        if lock is None:
            return _refused(f"There is no lock {lock_id!r}.")
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "active" or lease["expires_at"] <= self.now:
            return _refused("The lease has run out.")
        if not self._may_write(self.services[lease["holder_id"]], self.namespaces[lock["space_id"]]):
            return _refused(
                f"{self.services[lease['holder_id']]['name']} may not write to "
                f"{self.namespaces[lock['space_id']]['name']}, where {lock['name']} lies."
            )
        if lock["lease_id"] == lease_id:
            return _refused(
                f"{self.services[lease['holder_id']]['name']} holds {lock['name']} through this lease already."
            )
        if lease_id in lock["waiting_ids"]:
            return _refused(
                f"{self.services[lease['holder_id']]['name']} waits for {lock['name']} with this lease already."
            )
        self._journal = []
        changed_locks: list[Any] = []
        changed_locks_2: list[Any] = []
        if lock["lease_id"] is None:
            changed_locks.append(lock)
            self._put("locks", lock, "lease_id", lease_id)
            fence = lock["fence"] + 1
            if not 0 <= fence <= 100000:
                return self._take_back(f"The fence of {lock['name']} must be between 0 and 100000.")
            self._put("locks", lock, "fence", fence)
        else:
            changed_locks_2.append(lock)
            self._put(
                "locks",
                lock,
                "waiting_ids",
                [record["id"] for record in [self.leases[key] for key in lock["waiting_ids"]] + [lease]],
            )
        for one_lock in _distinct(changed_locks):
            if self._breaks_rule_8_x(one_lock):
                return self._take_back(RULES[7])
        for one_lock in _distinct(changed_locks_2):
            if self._breaks_rule_8_x_again(one_lock):
                return self._take_back(RULES[7])
        for one_lock in _distinct([*changed_locks, *changed_locks_2]):
            if self._breaks_rule_9(one_lock):
                return self._take_back(RULES[8])
        for one_lock in _distinct([*changed_locks, *changed_locks_2]):
            if self._breaks_rule_10(one_lock):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: acquire {lock['name']} for {self.services[lease['holder_id']]['name']}.",
            "data": self._changes(),
        }

    def release_lock(self, lock_id: str, by_id: str) -> Result:
        """Release a lock, which passes to the next lease in line that has not run out.

        Args:
            lock_id (str): Id of the lock, such as LOCK-00001.
            by_id (str): Service whose lease holds the lock; an id such as SERVICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lock = self.locks.get(lock_id)
        if lock is None:
            return _refused(f"There is no lock {lock_id!r}.")
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        held = self.leases.get(lock["lease_id"])
        if held is None:
            return _refused(f"{lock['name']} is free.")
        if held["holder_id"] != by_id:
            return _refused(
                f"{lock['name']} is held by {self.services[held['holder_id']]['name']}, so {by['name']} cannot "
                "release it."
            )
        self._journal = []
        after = self._heir(lock, held)
        self._put(
            "locks",
            lock,
            "waiting_ids",
            [
                record["id"]
                for record in [
                    l
                    for l in [self.leases[key] for key in lock["waiting_ids"]]
                    if l is not after
                    and self._alive(l)
                ]
            ],
        )
        self._put("locks", lock, "lease_id", after["id"] if after is not None else None)
        if after is not None:
            fence = lock["fence"] + 1
            if not 0 <= fence <= 100000:
                return self._take_back(f"The fence of {lock['name']} must be between 0 and 100000.")
            self._put("locks", lock, "fence", fence)
        if self._breaks_rule_8_x(lock):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_x_again(lock):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(lock):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(lock):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: release {lock['name']} as {by['name']}.", "data": self._changes()}

    def grant_access(
        self,
        by_id: str,
        service_id: str,
        space_id: str,
        level: Literal["read", "write", "admin"],
        until: Date | None = None,
    ) -> Result:
        """Grant a service access to a namespace and all below it, or change the grant it has there.

        Args:
            by_id (str): Service that grants it, an admin of the namespace; an id such as SERVICE-00001.
            service_id (str): Id of the service, such as SERVICE-00001.
            space_id (str): Namespace that is opened with all below it; an id such as NAMESPACE-00001.
            level (str): Level of access from now on: read, write or admin.
            until (str, optional): Last day of the access, from today on, as YYYY-MM-DD. If left out, the access
                has no end, and loses the one it had.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        service = self.services.get(service_id)
        if service is None:
            return _refused(f"There is no service {service_id!r}.")
        space = self.namespaces.get(space_id)
        if space is None:
            return _refused(f"There is no namespace {space_id!r}.")
        if not self._may_rule(by, space):
            return _refused(f"{by['name']} is no admin of {space['name']}.")
        if by is service:
            return _refused(f"{by['name']} cannot change its own access.")
        if until is not None and until < self.now[:10]:
            return _refused(f"{until} is past.")
        old = next(
            (g for g in sorted(self._grants_by_service_space.get((service_id, space_id), {}).values(), key=_age)),
            None,
        )
        if old is not None and old["level"] == level and old["until"] == until:
            return _refused(f"{service['name']} has exactly that access to {space['name']} already.")
        self._journal = []
        added_grants: list[Any] = []
        if old is None:
            grant = {
                "id": self._new_id("grant", "GRANT", self.grants),
                "service_id": service_id,
                "space_id": space_id,
                "level": level,
                "until": until,
            }
            self._add("grants", grant)
            added_grants.append(grant)
        else:
            self._put("grants", old, "level", level)
            self._put("grants", old, "until", until)
        for one_grant in _distinct(added_grants):
            if self._breaks_rule_11(one_grant):
                return self._take_back(RULES[10])
        done = f"grant {service['name']} {level} access to {space['name']} as {by['name']}"
        if until is not None:
            done += f" until {until}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def revoke_access(self, by_id: str, grant_id: str) -> Result:
        """Revoke a grant.

        Args:
            by_id (str): Service that revokes it, an admin of the namespace; an id such as SERVICE-00001.
            grant_id (str): Id of the grant, such as GRANT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        grant = self.grants.get(grant_id)
        if grant is None:
            return _refused(f"There is no grant {grant_id!r}.")
        if not self._may_rule(by, self.namespaces[grant["space_id"]]):
            return _refused(f"{by['name']} is no admin of {self.namespaces[grant['space_id']]['name']}.")
        if by_id == grant["service_id"]:
            return _refused(f"{by['name']} cannot change its own access.")
        self._journal = []
        self._remove("grants", grant)
        return {
            "success": True,
            "message": (
                f"Done: revoke the access of {self.services[grant['service_id']]['name']} to "
                f"{self.namespaces[grant['space_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def resize_namespace(
        self,
        by_id: str,
        space_id: str,
        quota: Annotated[int, {"minimum": 40, "maximum": 9000}],
    ) -> Result:
        """Change the quota of a namespace.

        Args:
            by_id (str): Service that does it, an admin of the namespace; an id such as SERVICE-00001.
            space_id (str): Namespace whose quota changes; an id such as NAMESPACE-00001.
            quota (int): New quota, in bytes, at least what is used and handed out, from 40 to 9000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.services.get(by_id)
        if by is None:
            return _refused(f"There is no service {by_id!r}.")
        space = self.namespaces.get(space_id)
        if space is None:
            return _refused(f"There is no namespace {space_id!r}.")
        if not self._may_rule(by, space):
            return _refused(f"{by['name']} is no admin of {space['name']}.")
        if quota == space["quota"]:
            return _refused(f"{space['name']} has {quota} bytes already.")
        if quota < self._namespace_used(space):
            return _refused(f"{space['name']} uses {self._namespace_used(space)} bytes.")
        if quota < self._namespace_shared_out(space):
            return _refused(
                f"{space['name']} has handed out {self._namespace_shared_out(space)} bytes to those inside it."
            )
        parent = self.namespaces.get(space["within_id"])
        if parent is not None and self._namespace_shared_out(parent) - space["quota"] + quota > parent["quota"]:
            return _refused(
                f"{parent['name']} has {parent['quota']} bytes, of which "
                f"{self._namespace_shared_out(parent) - space['quota']} belong to others."
            )
        self._journal = []
        self._put("namespaces", space, "quota", quota)
        if self._breaks_rule_2(space):
            return self._take_back(RULES[1])
        for one_namespace in _distinct([self.namespaces.get(space["within_id"]), space]):
            if self._breaks_rule_3(one_namespace):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: set the quota of {space['name']} to {quota} bytes as {by['name']}.",
            "data": self._changes(),
        }

    def _show_namespace(self, namespace: Namespace) -> dict[str, Any]:
        """The namespace as an answer shows it."""
        return {
            **namespace,
            "used": self._namespace_used(namespace),
            "shared_out": self._namespace_shared_out(namespace),
        }

    def _show_entry(self, entry: Entry) -> dict[str, Any]:
        """The entry as an answer shows it."""
        return {**entry, "size": self._entry_size(entry)}

    def _show_lock(self, lock: Lock) -> dict[str, Any]:
        """The lock as an answer shows it."""
        return {**lock, "waiting_ids": [*lock["waiting_ids"]]}

    def _names_of_namespaces(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that namespaces point to."""
        return _names((self.namespaces, "name", [row["within_id"] for row in shown]))

    def _names_of_grants(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that grants point to."""
        return _names(
            (self.services, "name", [row["service_id"] for row in shown]),
            (self.namespaces, "name", [row["space_id"] for row in shown]),
        )

    def _names_of_leases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leases point to."""
        return _names((self.services, "name", [row["holder_id"] for row in shown]))

    def _names_of_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entries point to."""
        return _names(
            (self.namespaces, "name", [row["space_id"] for row in shown]),
            (self.services, "name", [row["written_by_id"] for row in shown]),
        )

    def _names_of_revisions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that revisions point to."""
        return _names(
            (self.entries, "name", [row["entry_id"] for row in shown]),
            (self.services, "name", [row["written_by_id"] for row in shown]),
        )

    def _names_of_locks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that locks point to."""
        return _names((self.namespaces, "name", [row["space_id"] for row in shown]))

    def _namespace_used(self, namespace: Namespace) -> int:
        """The used of a namespace."""
        return sum(
            self._entry_size(k)
            for k in _distinct(
                [
                    k
                    for key in [
                        namespace["id"],
                        *[record["id"] for record in _below(self._namespaces_by_within, namespace)],
                    ]
                    for k in self._entries_by_space.get(key, {}).values()
                ]
            )
        )

    def _namespace_shared_out(self, namespace: Namespace) -> int:
        """The shared out of a namespace."""
        return sum(n["quota"] for n in self._namespaces_by_within.get(namespace["id"], {}).values())

    def _entry_size(self, entry: Entry) -> int:
        """The size of an entry."""
        return len(entry["name"]) + len(entry["value"])

    def _valid(self, g: Grant) -> bool:
        return g["until"] is None or g["until"] >= self.now[:10]

    def _covers(self, g: Grant, n: Namespace) -> bool:
        return g["space_id"] == n["id"] or self.namespaces[g["space_id"]] in _above(self.namespaces, n, "within_id")

    def _may_write(self, s: Service, n: Namespace) -> bool:
        return any(
            g["level"] in ("write", "admin")
            and self._valid(g)
            for g in self._grants_by_service.get(s["id"], {}).values()
            if self._covers(g, n)
        )

    def _may_rule(self, s: Service, n: Namespace) -> bool:
        return any(
            g["level"] == "admin"
            and self._valid(g)
            for g in self._grants_by_service.get(s["id"], {}).values()
            if self._covers(g, n)
        )

    def _alive(self, l: Lease) -> bool:
        return l["status"] == "active" and l["expires_at"] > self.now

    def _key_at(self, n: Namespace, what: str) -> Entry | None:
        return next(
            (k for k in sorted(self._entries_by_space.get(n["id"], {}).values(), key=_age) if k["name"] == what),
            None,
        )

    def _size_at(self, n: Namespace, what: str) -> int:
        return sum(self._entry_size(k) for k in self._entries_by_space.get(n["id"], {}).values() if k["name"] == what)

    def _full(self, n: Namespace, more: int) -> Namespace | None:
        return next(
            (o for o in [n] + _above(self.namespaces, n, "within_id") if self._namespace_used(o) + more > o["quota"]),
            None,
        )

    def _heir(self, x: Lock, gone: Lease) -> Lease | None:
        return next(
            (l for l in [self.leases[key] for key in x["waiting_ids"]] if l is not gone and self._alive(l)),
            None,
        )

    def _breaks_rule_1(self, k: Entry) -> bool:
        """Whether this is broken: a namespace has one key of a name."""
        return any(
            other_k is not k
            for other_k in self._entries_by_space.get(k["space_id"], {}).values()
            if other_k["name"] == k["name"]
        )

    def _breaks_rule_2(self, n: Namespace) -> bool:
        """Whether this is broken: what a namespace and everything below it hold stays within its quota."""
        return self._namespace_used(n) > n["quota"]

    def _breaks_rule_3(self, n: Namespace) -> bool:
        """Whether this is broken: a namespace never hands out more quota to those inside it than it has itself."""
        return self._namespace_shared_out(n) > n["quota"]

    def _breaks_rule_4(self, k: Entry) -> bool:
        """Whether this is broken: only so many old versions of a key are kept as its namespace says."""
        return len(self._revisions_by_entry.get(k["id"], {})) > self.namespaces[k["space_id"]]["keeps"]

    def _breaks_rule_5_r(self, r: Revision) -> bool:
        """Whether this is broken: old versions have numbers of their own below that of the key."""
        return any(
            other_r is not r
            for other_r in self._revisions_by_entry.get(r["entry_id"], {}).values()
            if other_r["version"] == r["version"]
        )

    def _breaks_rule_5_r_again(self, r: Revision) -> bool:
        """Whether this is broken: old versions have numbers of their own below that of the key."""
        return r["version"] >= self.entries[r["entry_id"]]["version"]

    def _breaks_rule_6(self, k: Entry) -> bool:
        """Whether this is broken: keys hang on active leases only."""
        return k["lease_id"] is not None and self.leases[k["lease_id"]]["status"] != "active"

    def _breaks_rule_7(self, l: Lease) -> bool:
        """Whether this is broken: a lease carries at most four keys."""
        return len(self._entries_by_lease.get(l["id"], {})) > 4

    def _breaks_rule_8_x(self, x: Lock) -> bool:
        """Whether this is broken: a lock is held through an active lease and only active leases wait for it."""
        return x["lease_id"] is not None and self.leases[x["lease_id"]]["status"] != "active"

    def _breaks_rule_8_x_again(self, x: Lock) -> bool:
        """Whether this is broken: a lock is held through an active lease and only active leases wait for it."""
        return any(l["status"] != "active" for l in [self.leases[key] for key in x["waiting_ids"]])

    def _breaks_rule_9(self, x: Lock) -> bool:
        """Whether this is broken: nobody waits for a lock that is free."""
        return len(x["waiting_ids"]) > 0 and x["lease_id"] is None

    def _breaks_rule_10(self, x: Lock) -> bool:
        """Whether this is broken: a lease waits for a lock once and never for one it holds."""
        return not (
            _different([l["id"] for l in [self.leases[key] for key in x["waiting_ids"]]])
            and (x["lease_id"] is None or x["lease_id"] not in x["waiting_ids"])
        )

    def _breaks_rule_11(self, g: Grant) -> bool:
        """Whether this is broken: a service has one grant for a namespace."""
        return any(
            other_g is not g
            for other_g in self._grants_by_service_space.get((g["service_id"], g["space_id"]), {}).values()
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
            case "namespaces":
                self._namespaces_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "grants":
                self._grants_by_service.setdefault(record["service_id"], {})[record["id"]] = record
                self._grants_by_service_space.setdefault(
                    (record["service_id"], record["space_id"]),
                    {},
                )[record["id"]] = record
            case "leases":
                self._leases_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "entries":
                self._entries_by_lease.setdefault(record["lease_id"], {})[record["id"]] = record
                self._entries_by_space.setdefault(record["space_id"], {})[record["id"]] = record
            case "revisions":
                self._revisions_by_entry.setdefault(record["entry_id"], {})[record["id"]] = record
            case "locks":
                self._locks_by_lease.setdefault(record["lease_id"], {})[record["id"]] = record
                for key in record["waiting_ids"]:
                    self._locks_by_waiting.setdefault(key, {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "namespaces":
                del self._namespaces_by_within[record["within_id"]][record["id"]]
            case "grants":
                del self._grants_by_service[record["service_id"]][record["id"]]
                del self._grants_by_service_space[record["service_id"], record["space_id"]][record["id"]]
            case "leases":
                del self._leases_by_holder_status[record["holder_id"], record["status"]][record["id"]]
            case "entries":
                del self._entries_by_lease[record["lease_id"]][record["id"]]
                del self._entries_by_space[record["space_id"]][record["id"]]
            case "revisions":
                del self._revisions_by_entry[record["entry_id"]][record["id"]]
            case "locks":
                del self._locks_by_lease[record["lease_id"]][record["id"]]
                for key in record["waiting_ids"]:
                    self._locks_by_waiting[key].pop(record["id"], None)
